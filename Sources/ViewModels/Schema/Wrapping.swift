/// A type of the standard library's that holds values of another one.
protocol Wrapping {
    /// The type of what it holds; of a dictionary, the values'.
    static var wrapped: any Any.Type { get }
    /// What stands for its place in a path: nothing, or an asterisk for each of many.
    static var place: String { get }
    /// What to write instead, in a sentence that follows "is written in another order each time:", where equal values are
    /// written as different texts, since what they hold has no order; nil where it has one.
    ///
    /// The standard library writes a set, and a dictionary whose keys cannot be names, in the order of its hashes, which
    /// differs from process to process and from value to value. A model would be stored and a change be told where nothing
    /// changed, and a body that is repeated under its key be another.
    static var remedy: String? { get }
    /// The shape of the names that its keys are read from, where they are to be held to one.
    static var names: JSONSchema? { get }
    /// How many keys it has; nil for what is no dictionary.
    var keyCount: Int? { get }
}

extension Wrapping {
    static var names: JSONSchema? { nil }
    var keyCount: Int? { nil }
}

extension Optional: Wrapping {
    static var wrapped: any Any.Type { Wrapped.self }
    static var place: String { "" }
    static var remedy: String? { nil }
}

extension Array: Wrapping {
    static var wrapped: any Any.Type { Element.self }
    static var place: String { "*" }
    static var remedy: String? { nil }
}

extension Set: Wrapping {
    static var wrapped: any Any.Type { Element.self }
    static var place: String { "*" }
    static var remedy: String? { "keep a sorted array" }
}

extension Dictionary: Wrapping {
    static var wrapped: any Any.Type { Value.self }
    static var place: String { "*" }
    /// None where the keys are names of members: those are sorted.
    static var remedy: String? {
        if Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type { return nil }
        return "take String or Int for its keys, or an enumeration of texts that conforms to CodingKeyRepresentable"
    }
    var keyCount: Int? { count }
    /// One number may be spelt as several names, and a type that says its shape may take more.
    static var names: JSONSchema? {
        if Key.self == Int.self { return .integer(JSONSchema.range(of: Int.self)) }
        guard Key.self != String.self, Key.self is any CodingKeyRepresentable.Type else { return nil }
        return try? (Key.self as? any SchemaDescribing.Type)?.jsonSchema
    }
}

extension SchemaFault {
    /// That equal values of a type are written as different texts, or those of a type that it wraps; nil where they are not.
    init?(unordered type: any Any.Type) {
        guard let wrapping = type as? any Wrapping.Type else { return nil }
        if let remedy = wrapping.remedy {
            self.init(type, "is written in another order each time: \(remedy)", isOfOrder: true)
        } else if let fault = SchemaFault(unordered: wrapping.wrapped) {
            self = fault.within(wrapping.place)
        } else {
            return nil
        }
    }
}
