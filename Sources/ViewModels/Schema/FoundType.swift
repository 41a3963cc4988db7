import Locking

/// What is known of a type whose values are read and written: found once, as the search takes a while.
struct FoundType: Sendable {
    /// The shape that it is read from.
    let read: Result<JSONSchema, SchemaFault>
    /// What its values are written with that has no order; nil for nothing.
    let order: SchemaFault?
    /// The shape of what is written of its values, held to some that are made up.
    ///
    /// That is the shape that it is read from, but that an optional member is missing where it is nil, and never null, unless
    /// the type writes it so. A fault where that cannot be told, the type writes something else than it reads, or equal values are
    /// written in different orders.
    let shown: Result<JSONSchema, SchemaFault>

    private static let known = Lock<[ObjectIdentifier: FoundType]>([:])

    static func of<Value: Codable>(_ type: Value.Type) -> FoundType {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let found = FoundType(SearchedType(type))
        known.withLock { $0[ObjectIdentifier(type)] = found }
        return found
    }

    private init<Value: Codable>(_ searched: SearchedType<Value>) {
        let order = searched.orderFault()
        read = searched.schema
        self.order = order
        shown = searched.schema.flatMap { read in order.map(Result.failure) ?? searched.shown(readFrom: read) }
    }
}

/// What one search of a type has found, with the values by which it is held to what it writes.
struct SearchedType<Value: Codable> {
    let schema: Result<JSONSchema, SchemaFault>
    /// Those of the values made up of the shape that the type takes, and what it was found by, as its jsonExample.
    let values: [Value]
    /// Has the values of the types that it consists of.
    let search = SchemaSearch()

    init(_ type: Value.Type) {
        schema = search.result(of: type)
        guard case .success(let schema) = schema else {
            values = []
            return
        }
        schema.keep(of: type)
        var generator = SeededGenerator(seed: 1)
        var values = (0..<32).compactMap { _ in
            schema.madeUp(by: &generator, isShort: true).flatMap { AskedType.read(type, from: $0) }
        }
        values += (search.values[ObjectIdentifier(type)] ?? []).compactMap { $0 as? Value }
        self.values = values
    }

    /// The first of the types that are written with the type's values, and that have no order themselves.
    ///
    /// - Parameter example: a value that is looked at beside those that were made up.
    /// - Returns: nil for none, and where no value could be made that holds it.
    func orderFault(_ example: Value? = nil) -> SchemaFault? {
        SchemaFault(unordered: Value.self) ?? OrderProbe.fault(of: self, example)
    }

    /// The shape of what is written of the values.
    ///
    /// - Parameter read: the shape that they are read from.
    fileprivate func shown(readFrom read: JSONSchema) -> Result<JSONSchema, SchemaFault> {
        if let fault = faultWithin() { return .failure(fault) }
        if showsLess(than: read) { return .failure(SchemaSearch.undecided(Value.self)) }
        // What cannot be encoded, such as a number that is not finite, is told when it is shown.
        let texts = AskedType.name(Value.self) { values.compactMap { try? JSON.encode($0) } }
        for schema in [read.written, read]
        where texts.allSatisfy({ (try? schema.mismatch(inText: $0, refusesUnknown: true)) == .some(nil) }) {
            return .success(schema)
        }
        let mismatch = texts.lazy.compactMap { (try? read.mismatch(inText: $0, refusesUnknown: true)) ?? nil }.first
        let place = mismatch.map { ", at \(JSON.pointer(to: $0.path)), which \($0.complaint)" } ?? ""
        let isSaid = Value.self is any SchemaDescribing.Type
        let words = isSaid ? "is written otherwise than it says" : "is written otherwise than it is read"
        let remedy = isSaid ? "; let its jsonSchema say what encode(to:) writes" : SchemaFault.sayIt
        return .failure(SchemaFault(Value.self, words + place + remedy))
    }
}

extension SearchedType {
    /// Whether it takes an object without members that its shape says are there, and shows it without: any of few, of many one or all.
    private func showsLess(than schema: JSONSchema) -> Bool {
        let names = schema.requiredNames
        var generator = SeededGenerator(seed: 1)
        return (names.count < 6 ? names.subsets : names.map { [$0] } + [names]).contains { less in
            let made = (0..<8).compactMap { _ in schema.without(less).madeUp(by: &generator, isShort: true) }
            return !made.compactMap { AskedType.read(Value.self, from: $0) }.allSatisfy(schema.isWritten)
        }
    }

    /// Of a list or the like it is what that holds of which something can be said.
    private func faultWithin() -> SchemaFault? {
        guard let wrapping = Value.self as? any Wrapping.Type, let wrapped = wrapping.wrapped as? any Codable.Type,
            case .failure(let fault) = FoundType.of(wrapped).shown
        else { return nil }
        return fault.within(wrapping.place)
    }
}

extension Result<JSONSchema, SchemaFault> {
    /// What was found, or that any value will do, and why.
    var orAnything: (schema: JSONSchema, fault: SchemaFault?) {
        switch self {
        case .success(let schema): (schema, nil)
        case .failure(let fault): (.anything, fault)
        }
    }
}

extension JSONSchema {
    /// The members that an object has to have; none of what is no object.
    fileprivate var requiredNames: [String] {
        switch self {
        case .object(let members): members.filter(\.isRequired).map(\.name)
        case .named(_, let schema): schema.requiredNames
        default: []
        }
    }

    /// The same object without some of its members.
    fileprivate func without(_ names: [String]) -> JSONSchema {
        switch self {
        case .object(let members): .object(members.filter { !names.contains($0.name) })
        case .named(let name, let schema): .named(name, schema.without(names))
        default: self
        }
    }
}
