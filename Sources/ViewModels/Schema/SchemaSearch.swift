import Foundation

/// Finds the shape of a type's values by what its `init(from:)` asks for.
///
/// A synthesized one asks for every member, whatever it is given. So it is run several times: on other values, without what it
/// looks for, and with each of its asks failing. One that asks for something else then has no shape that one run could tell,
/// and the search says so instead of guessing.
///
/// Used by one thread, for one type and what that consists of.
// Safe: whoever makes it is the only one that has it, as a task-local value for as long as one type is asked, which waits for nothing.
final class SchemaSearch: @unchecked Sendable {
    @TaskLocal static var current: SchemaSearch?

    /// The types that are being asked, with the name of those that were met again inside of themselves.
    private var open: [ObjectIdentifier: (name: String, isMetAgain: Bool)] = [:]
    private var names: [ObjectIdentifier: String] = [:]
    private var takenNames: Set<String> = []
    /// What was found of a type, and the names that it refers to: it holds as long as these are asked.
    private var found: [ObjectIdentifier: (schema: JSONSchema, references: Set<String>)] = [:]
    /// The values of each type that was asked, where any could be made: one for each case of an enumeration.
    var values: [ObjectIdentifier: [Any]] = [:]
    /// Those of them that were read from texts, by the variant: a type is read once for each of its members' runs.
    var tried: [ObjectIdentifier: [Int: Any]] = [:]
    private var askedAlone: Set<ObjectIdentifier> = []
    var generator = SeededGenerator(seed: 1)
    /// Whether what has no order is a fault, and what has no shape is none.
    private let refusesUnordered: Bool

    init(refusesUnordered: Bool = false) {
        self.refusesUnordered = refusesUnordered
        // Of types that a model may have and that tell no shape.
        for value in [IndexSet(), CharacterSet(), URLComponents(), UInt128()] as [Any] {
            values[ObjectIdentifier(type(of: value))] = [value]
        }
    }

    /// Of types that hold each other many times over, each written out where it is met, there would be no end.
    private static let mostParts = 5000
    private static let tooLarge =
        "has more than \(mostParts) parts, as what it holds is written out wherever it is met: let it hold less"
        + SchemaFault.orSayIt

    /// The shape of a type, or why it cannot be told.
    func result<Value: Decodable>(of type: Value.Type) -> Result<JSONSchema, SchemaFault> {
        do { return .success(try Self.$current.withValue(self) { try schema(of: type) }) } catch {
            return .failure(SchemaFault(error, of: type).told(of: type))
        }
    }

    private func schema<Value: Decodable>(of type: Value.Type) throws -> JSONSchema {
        let id = ObjectIdentifier(type)
        if let known = open[id] {
            open[id] = (known.name, true)
            return .reference(known.name)
        }
        if let (schema, references) = found[id], meetAgain(references) { return schema }
        // A list of a type that holds such lists is a list wherever it is met: what is met again is its element.
        if !(type is any Wrapping.Type) { open[id] = (name(of: type), false) }
        defer { open[id] = nil }
        if refusesUnordered, let fault = SchemaFault(unordered: type) { throw fault }
        var schema: JSONSchema
        do {
            schema = try findOrAlone(type)
            var left = Self.mostParts
            guard schema.hasParts(upTo: &left) else { throw SchemaFault(type, Self.tooLarge) }
        } catch let fault as SchemaFault where refusesUnordered && !fault.isOfOrder {
            // It may be stored all the same; what has no order may stand beside it.
            schema = .anything
        }
        if let known = open[id], known.isMetAgain {
            schema = .named(known.name, schema)
            try refuse(schema, of: type)
        }
        found[id] = (schema, schema.references)
        return schema
    }

    /// The shape of a type that is met within others.
    ///
    /// Where it holds one of those, there may be no value of either yet: asked alone, once, it leaves them.
    private func findOrAlone<Value: Decodable>(_ type: Value.Type) throws -> JSONSchema {
        do { return try find(type) } catch let fault as SchemaFault {
            guard open.count > 1, !fault.isOfOrder, askedAlone.insert(ObjectIdentifier(type)).inserted else {
                throw fault
            }
            let around = open
            open = [:]
            defer { open = around }
            guard (try? schema(of: type)) != nil else { throw fault }
        }
        return try find(type)
    }

    private func find<Value: Decodable>(_ type: Value.Type) throws -> JSONSchema {
        if let describing = type as? any SchemaDescribing.Type {
            let schema: JSONSchema
            do { schema = try describing.jsonSchema } catch { throw SchemaFault(error, of: type) }
            try refuse(schema, of: type)
            meetAgain(schema.references)
            if values[ObjectIdentifier(type)] == nil {
                let text = describing.jsonExample
                keep(text.isEmpty ? madeUpValue(of: type, schema) : try value(of: type, schema, example: text))
            }
            return try summed(schema, type)
        }
        return try summed(choices(of: type) ?? ask(type), type)
    }

    /// - Throws: ``SchemaFault`` where what a type says of itself is no shape.
    private func refuse(_ schema: JSONSchema, of type: any Any.Type) throws(SchemaFault) {
        let around = Set(open.values.map(\.name))
        if let complaint = schema.complaint(around: around) { throw SchemaFault(type, complaint) }
    }

    /// A name that no other type has in this search: two private types of two files may be called the same.
    func name(of type: any Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let known = names[id] { return known }
        let own = SchemaFault.name(of: type)
        var (name, count) = (own, 1)
        while !takenNames.insert(name).inserted {
            count += 1
            name = "\(own)\(count)"
        }
        names[id] = name
        return name
    }

    /// Whether a type that is being asked was met inside of itself.
    func isMetAgain(_ type: any Any.Type) -> Bool { open[ObjectIdentifier(type)]?.isMetAgain == true }

    /// Notes that the types of those names are met again, where all of them are being asked.
    ///
    /// - Returns: whether they are.
    @discardableResult
    private func meetAgain(_ references: Set<String>) -> Bool {
        let ids = open.filter { references.contains($0.value.name) }.keys
        guard ids.count == references.count else { return false }
        for id in ids { open[id]?.isMetAgain = true }
        return true
    }

    /// With what the type says of its members.
    private func summed(_ schema: JSONSchema, _ type: any Any.Type) throws -> JSONSchema {
        guard let summaries = (type as? any MemberSummarizing.Type)?.memberSummaries, !summaries.isEmpty else {
            return schema
        }
        func summed(_ members: [JSONSchema.Member]) throws -> [JSONSchema.Member] {
            if let name = summaries.keys.filter({ name in !members.contains { $0.name == name } }).min() {
                throw SchemaFault(type, "summarizes \"\(name)\", which it has not")
            }
            return members.map {
                JSONSchema.Member(
                    $0.name, $0.schema, isRequired: $0.isRequired, summary: summaries[$0.name] ?? $0.summary)
            }
        }
        switch schema {
        case .object(let members): return .object(try summed(members))
        case .choice(let members): return .choice(try summed(members))
        case .named(let name, let schema): return .named(name, try self.summed(schema, type))
        default: throw SchemaFault(type, "has no members that could be summarized")
        }
    }
}
