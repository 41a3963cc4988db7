import Foundation

// Types of Swift's and Foundation's that have no shape: a fault names them, and not what they consist of, which is theirs.

extension SchemaFault {
    /// The same, of such a type as a whole where it was found in one.
    func told(of type: any Any.Type) -> SchemaFault {
        guard Self.isForeign(type) else { return self }
        let isIdentified = [Locale.self, TimeZone.self, Calendar.self].contains { $0 == type }
        let remedy =
            isIdentified ? "take String instead, for its identifier" : "take String or a structure of your own instead"
        return isOfOrder
            ? SchemaFault(type, "is written in another order each time: \(remedy)", isOfOrder: true)
            : SchemaFault(type, "does not tell all that it reads: \(remedy)")
    }

    /// Whether a type is of Swift's own modules, says no shape, and holds no types of others, which may be to blame.
    static func isForeign(_ type: any Any.Type) -> Bool {
        guard !(type is any SchemaDescribing.Type) else { return false }
        let name = String(reflecting: type)
        // A type may be declared within one of another module's, as `(extension in Here):There.Outer.Inner`.
        let extending = "(extension in "
        let isExtending = name.hasPrefix(extending)
        let module = isExtending ? name.dropFirst(extending.count).prefix { $0 != ")" } : name.prefix { $0 != "." }
        guard !name.contains("<") else { return false }
        let own = ["Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization"]
        return own.contains { $0 == module }
    }
}
