import Locking

/// A type whose equal values are written as different texts, since their elements have no order.
///
/// The standard library writes a set, and a dictionary whose keys cannot be names, in the order of its hashes, which differs
/// from process to process and from value to value. A model would be stored and a change be told where nothing changed, and a
/// body that is repeated under its key be another.
protocol Unordered {
    /// What to write instead, in a sentence that follows "is written in another order each time:"; nil where the values have
    /// an order after all.
    static var remedy: String? { get }
}

extension Set: Unordered {
    static var remedy: String? { "keep a sorted array" }
}

extension Dictionary: Unordered {
    /// None where the keys are names of members: those are sorted.
    static var remedy: String? {
        if Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type { return nil }
        return "take String or Int for its keys, or an enumeration of texts that conforms to CodingKeyRepresentable"
    }
}

extension SchemaFault {
    private static let known = Lock<[ObjectIdentifier: SchemaFault?]>([:])

    /// The first of the types in a type that is ``Unordered``.
    ///
    /// - Returns: nil for none, and where the type's shape cannot be told.
    static func ofOrder<Value: Decodable>(in type: Value.Type) -> SchemaFault? {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let search = SchemaSearch(refusesUnordered: true)
        var found: SchemaFault?
        do { _ = try SchemaSearch.$current.withValue(search) { try search.schema(of: type) } } catch {
            found = (error as? SchemaFault).flatMap { $0.isOfOrder ? $0 : nil }
        }
        known.withLock { $0[ObjectIdentifier(type)] = .some(found) }
        return found
    }
}
