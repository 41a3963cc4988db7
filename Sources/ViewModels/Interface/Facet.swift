/// A named, narrower face of a view model: some of its outputs, for a child view that must not see the rest.
public struct Facet<Owner: ViewModel>: Sendable {
    /// The last segment of the facet's path and topic.
    public let name: Name
    /// One sentence on whom the facet is for, shown in the OpenAPI description.
    public let summary: String
    /// The outputs it shows, in the order in which it shows them.
    public let outputs: [Name]

    /// Declares a facet.
    ///
    /// - Parameter outputs: names that the same interface declares as outputs.
    public init(_ name: String, _ summary: String = "", showing outputs: String...) {
        self.name = Name(declared: name)
        self.summary = summary
        self.outputs = outputs.map(Name.init(declared:))
    }
}
