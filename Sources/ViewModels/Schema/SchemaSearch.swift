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
    private var taken: Set<String> = []
    /// What was found of a type, and the names that it refers to: it holds as long as these are asked.
    private var found: [ObjectIdentifier: (schema: JSONSchema, references: Set<String>)] = [:]
    /// A value of each type that was asked, where one could be made.
    private var values: [ObjectIdentifier: Any] = [:]
    private var askedAlone: Set<ObjectIdentifier> = []
    private var generator = SeededGenerator(seed: 1)
    /// Whether what is ``Unordered`` is a fault, as in what is written.
    private let refusesUnordered: Bool

    init(refusesUnordered: Bool = false) {
        self.refusesUnordered = refusesUnordered
        // Of types that a model may have and that tell no shape.
        for value in [IndexSet(), CharacterSet(), URLComponents(), UInt128()] as [Any] {
            values[ObjectIdentifier(type(of: value))] = value
        }
    }

    func schema<Value: Decodable>(of type: Value.Type) throws -> JSONSchema {
        let id = ObjectIdentifier(type)
        if let known = open[id] {
            open[id] = (known.name, true)
            return .reference(known.name)
        }
        if let (schema, references) = found[id], isOpen(references) { return schema }
        // A list of a type that holds such lists is a list wherever it is met: what is met again is its element.
        if !(type is any Wrapping.Type) { open[id] = (name(of: type), false) }
        defer { open[id] = nil }
        if refusesUnordered, let remedy = (type as? any Unordered.Type)?.remedy {
            throw SchemaFault(type, "is written in another order each time: \(remedy)", isOfOrder: true)
        }
        var schema: JSONSchema
        do { schema = try shapeOrAlone(of: type) } catch let fault as SchemaFault
            where refusesUnordered && !fault.isOfOrder
        {
            // It may be stored all the same; what is unordered may stand beside it.
            schema = .anything
        }
        if let known = open[id], known.isMetAgain { schema = .named(known.name, schema) }
        found[id] = (schema, schema.references)
        return schema
    }

    /// The shape of a type that is met within others.
    ///
    /// Where it holds one of those, there may be no value of either yet: asked alone, once, it leaves them.
    private func shapeOrAlone<Value: Decodable>(of type: Value.Type) throws -> JSONSchema {
        do { return try shape(of: type) } catch let fault as SchemaFault {
            guard open.count > 1, !fault.isOfOrder, askedAlone.insert(ObjectIdentifier(type)).inserted else {
                throw fault
            }
            let around = open
            open = [:]
            defer { open = around }
            guard (try? schema(of: type)) != nil else { throw fault }
        }
        return try shape(of: type)
    }

    private func shape<Value: Decodable>(of type: Value.Type) throws -> JSONSchema {
        if let describing = type as? any SchemaDescribing.Type {
            let (schema, id) = (try describing.jsonSchema, ObjectIdentifier(type))
            if values[id] == nil {
                let given = try describing.jsonExample.map { try taken($0, by: type) }
                values[id] = given ?? example(of: type, schema)
            }
            return schema
        }
        return try choices(of: type) ?? summed(ask(type), type)
    }

    /// A name that no other type has in this search: two private types of two files may be called the same.
    private func name(of type: any Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let known = names[id] { return known }
        let own = SchemaFault.name(of: type)
        var (name, count) = (own, 1)
        while !taken.insert(name).inserted {
            count += 1
            name = "\(own)\(count)"
        }
        names[id] = name
        return name
    }

    /// Whether the types of those names are being asked, which are met again then.
    private func isOpen(_ references: Set<String>) -> Bool {
        let ids = open.filter { references.contains($0.value.name) }.keys
        guard ids.count == references.count else { return false }
        for id in ids { open[id]?.isMetAgain = true }
        return true
    }

    /// A value of a type that was asked.
    func value<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema, variant: Int) -> Value? {
        let texts = schema.candidates
        for offset in texts.indices {
            if let value = AskedType.read(type, from: texts[(variant + offset) % texts.count]) { return value }
        }
        return values[ObjectIdentifier(type)] as? Value
    }

    private func taken<Value: Decodable>(_ text: String, by type: Value.Type) throws -> Value {
        guard let value = AskedType.read(type, from: text) else {
            throw SchemaFault(type, "does not read its jsonExample, \(text)")
        }
        return value
    }

    private func example<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema) -> Value? {
        for _ in 0..<16 {
            guard let text = schema.madeUp(by: &generator) else { return nil }
            if let value = AskedType.read(type, from: text) { return value }
        }
        return nil
    }

    // An enumeration of raw values

    private func choices<Value: Decodable>(of type: Value.Type) throws -> JSONSchema? {
        guard EnumCases.isEnum(type), let raw = type as? any (RawRepresentable & Decodable).Type else { return nil }
        return try choices(ofRaw: raw)
    }

    private func choices<Choice: RawRepresentable & Decodable>(ofRaw type: Choice.Type) throws -> JSONSchema? {
        let listed = (type as? any CaseIterable.Type).map { $0.listed.compactMap { $0 as? Choice } }
        guard let cases = EnumCases.all(of: type) ?? listed else {
            throw SchemaFault(type, "does not tell its cases: conform it to CaseIterable")
        }
        if let first = cases.first { values[ObjectIdentifier(type)] = first }
        let texts = cases.compactMap { $0.rawValue as? String }
        if texts.count == cases.count, cases.allSatisfy({ isRead($0, from: $0.rawValue as? String) }) {
            return .oneOf(texts)
        }
        let numbers = cases.compactMap { ($0.rawValue as? any FixedWidthInteger).flatMap { Int128(exactly: $0) } }
        if numbers.count == cases.count, zip(cases, numbers).allSatisfy({ isRead($0, from: $1) }) {
            return .oneOfIntegers(numbers)
        }
        // It is read as something else: that it is asked for.
        return nil
    }

    private func isRead<Choice: RawRepresentable & Decodable>(_ choice: Choice, from raw: (some Encodable)?) -> Bool {
        guard let text = raw.flatMap({ try? JSON.encode($0) }) else { return false }
        guard let read = try? JSON.decode(Choice.self, from: text) else { return false }
        return "\(read.rawValue)" == "\(choice.rawValue)"
    }

    // Any other type

    private func run<Value: Decodable>(
        _ type: Value.Type, _ plan: SchemaRun.Plan
    ) throws -> (run: SchemaRun, value: Value?) {
        let run = SchemaRun(plan, of: self)
        let value = AskedType.name(type) { try? Value(from: SchemaProbe(run: run, shape: run.root)) }
        if let fault = run.fault { throw fault }
        return (run, value)
    }

    private static let variants = 9

    /// A run that came to an end, on whichever values.
    private func success<Value: Decodable>(
        _ type: Value.Type, _ plan: SchemaRun.Plan
    ) throws -> (run: SchemaRun, value: Value, plan: SchemaRun.Plan)? {
        var plan = plan
        for variant in 0..<Self.variants {
            plan.variant = variant
            let (run, value) = try run(type, plan)
            if let value { return (run, value, plan) }
        }
        return nil
    }

    private func ask<Value: Decodable>(_ type: Value.Type) throws -> JSONSchema {
        let (first, _) = try run(type, SchemaRun.Plan())
        if let cases = first.root.cases { return try ask(type, forEach: cases) }
        guard let found = try success(type, SchemaRun.Plan()) else {
            throw SchemaFault(
                type,
                "takes none of the values that were made up for it\(SchemaFault.sayIt), or give a member that does so a jsonExample"
            )
        }
        values[ObjectIdentifier(type)] = found.value
        if case .nothing = found.run.root.content {
            // Without members nothing is read.
            guard let value = found.value as? any Encodable, (try? JSON.encode(value)) == Array("{}".utf8) else {
                throw SchemaFault(type, "does not tell what it reads\(SchemaFault.sayIt)")
            }
            return .object([])
        }
        return try shape(found.run, found.plan, type)
    }

    /// An enumeration as Swift reads it: an object of one member, named as the case.
    private func ask<Value: Decodable>(_ type: Value.Type, forEach cases: [String]) throws -> JSONSchema {
        var schemas: [String: JSONSchema] = [:]
        var isFurther = true
        // A case may hold the enumeration itself, of which another case makes the first value.
        while isFurther, schemas.count < cases.count {
            isFurther = false
            for (place, name) in cases.enumerated() where schemas[name] == nil {
                guard let found = try success(type, SchemaRun.Plan(cases: [place])) else { continue }
                if values[ObjectIdentifier(type)] == nil { values[ObjectIdentifier(type)] = found.value }
                guard case .object(let members) = try shape(found.run, found.plan, type), members.count == 1,
                    members[0].name == name
                else { throw SchemaFault(type, "reads other members than one for each case\(SchemaFault.sayIt)") }
                schemas[name] = members[0].schema
                isFurther = true
            }
        }
        for count in [0, 2] where count <= cases.count {
            guard try run(type, SchemaRun.Plan(cases: Array(0..<count))).value == nil else {
                throw SchemaFault(type, "takes any number of cases\(SchemaFault.sayIt)")
            }
        }
        if let name = cases.first(where: { schemas[$0] == nil }) {
            throw SchemaFault(type, "has a case, \(name), of which no value could be made up\(SchemaFault.sayIt)")
        }
        return .choice(cases.compactMap { name in schemas[name].map { JSONSchema.Member(name, $0) } })
    }

    /// The shape that a run has found, once further runs have asked for nothing else.
    private func shape<Value: Decodable>(
        _ first: SchemaRun, _ plan: SchemaRun.Plan, _ type: Value.Type
    ) throws -> JSONSchema {
        let asked = Set(first.asks)
        func isReadLike(_ change: (inout SchemaRun.Plan) -> Void) throws -> Bool {
            var plan = plan
            change(&plan)
            let (other, value) = try run(type, plan)
            // Where all is there, it is asked for.
            let isWhole = plan.missing == nil && plan.null == nil && plan.failing == nil && plan.length == 2
            guard asked.isSuperset(of: other.asks), value == nil || !isWhole || asked.count == Set(other.asks).count
            else {
                throw SchemaFault(type, "reads one thing or another by what it finds\(SchemaFault.sayIt)")
            }
            return value != nil
        }
        for variant in 0..<max(Self.variants, first.mostVariants) { _ = try isReadLike { $0.variant = variant } }
        for place in first.asks.indices { _ = try isReadLike { $0.failing = place } }
        for length in [0, 1] { _ = try isReadLike { $0.length = length } }
        let missing = try first.soughtPlaces.filter { place in try isReadLike { $0.missing = place } }
        let null = try first.comparedPlaces.filter { place in try isReadLike { $0.null = place } }
        let schema = first.root.schema(
            optional: first.optionals.union(missing), nullable: first.optionals.union(null))
        guard let schema else { throw SchemaFault(type, "does not tell all that it reads\(SchemaFault.sayIt)") }
        return schema
    }

    /// With what the type says of its members.
    private func summed(_ schema: JSONSchema, _ type: any Any.Type) throws -> JSONSchema {
        guard let summaries = (type as? any MemberSummarizing.Type)?.memberSummaries else { return schema }
        func summed(_ members: [JSONSchema.Member]) throws -> [JSONSchema.Member] {
            if let name = summaries.keys.filter({ name in !members.contains { $0.name == name } }).min() {
                throw SchemaFault(type, "summarizes \"\(name)\", which it has not")
            }
            return members.map {
                JSONSchema.Member($0.name, $0.schema, isRequired: $0.isRequired, summary: summaries[$0.name] ?? "")
            }
        }
        switch schema {
        case .object(let members): return .object(try summed(members))
        case .choice(let members): return .choice(try summed(members))
        default: throw SchemaFault(type, "has no members that could be summarized")
        }
    }
}

/// What has a value that holds none of what it is made for.
private protocol Wrapping {}
extension Optional: Wrapping {}
extension Array: Wrapping {}
extension Set: Wrapping {}
extension Dictionary: Wrapping {}

extension CaseIterable {
    fileprivate static var listed: [Any] { Array(allCases) }
}
