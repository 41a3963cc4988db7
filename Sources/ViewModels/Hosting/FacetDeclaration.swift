/// What a view model says of one of its facets.
public struct FacetDeclaration: Sendable {
    /// The last segment of the facet's path and topic.
    public let name: Name
    /// Whom the facet is for.
    public let summary: String
    /// The places, among the view model's outputs, of those it shows.
    public let outputs: [Int]
}
