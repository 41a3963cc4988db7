/// A type whose values have a shape that cannot be told, that says of itself what is no shape, or that are written in another order
/// each time.
public struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type's name.
    public let type: String
    /// The names of the members that lead to it, an asterisk for an element; empty for the whole.
    public private(set) var path: [String] = []
    /// What is wrong, and what to write, in a sentence that follows the type's name.
    public let complaint: String
    /// Whether the shape is known, and what is wrong is that equal values are written as different texts.
    let isOfOrder: Bool

    init(_ type: any Any.Type, _ complaint: String, isOfOrder: Bool = false) {
        self.type = Self.name(of: type)
        self.complaint = complaint
        self.isOfOrder = isOfOrder
    }

    /// What was thrown while the shape of a type was looked for; by the type itself it may be anything.
    init(_ error: any Error, of type: any Any.Type) {
        self = error as? SchemaFault ?? SchemaFault(type, "says \(error)")
    }

    /// One line for a terminal.
    public var description: String {
        let place = "\(path.isEmpty ? "" : "its member \(path.joined(separator: "/")), of ")\(type)"
        return isOfOrder ? "\(place) \(complaint)" : "the shape of \(place) is not known: it \(complaint)"
    }

    private static let remedy = "say its shape by conforming it to SchemaDescribing"
    static let sayIt = "; \(remedy)"
    static let orSayIt = ", or \(remedy)"

    func within(_ name: String) -> SchemaFault {
        guard !name.isEmpty else { return self }
        var fault = self
        fault.path.insert(name, at: 0)
        return fault
    }

    /// With its module, and without what differs from process to process.
    static func name(of type: any Any.Type) -> String {
        let name = String(reflecting: type)
        // A regular expression is compiled each time that it is used, and a start asks for many names.
        guard name.contains("(unknown context") else { return name }
        return name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }
}
