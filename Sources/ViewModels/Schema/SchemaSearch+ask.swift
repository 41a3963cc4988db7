extension SchemaSearch {
    private func run<Value: Decodable>(
        _ type: Value.Type, _ plan: SchemaRun.Plan
    ) throws -> (run: SchemaRun, value: Value?) {
        let run = SchemaRun(plan, of: self)
        let value = AskedType.name(type) { try? Value(from: SchemaProbe(run: run, part: run.root)) }
        if let fault = run.fault { throw fault }
        return (run, value)
    }

    private static let variants = 9

    private static func undecided(_ type: any Any.Type) -> SchemaFault {
        SchemaFault(type, "reads one thing or another by what it finds\(SchemaFault.sayIt)")
    }

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

    /// The shape that a type's `init(from:)` asks for.
    func ask<Value: Decodable>(_ type: Value.Type) throws -> JSONSchema {
        let (first, _) = try run(type, SchemaRun.Plan())
        if let cases = first.root.cases { return try ask(type, forEach: cases) }
        guard let found = try success(type, SchemaRun.Plan()) else {
            throw SchemaFault(
                type,
                "takes none of the values that were made up for it\(SchemaFault.sayIt), or give a member that does so a jsonExample"
            )
        }
        keep(found.value)
        if case .nothing = found.run.root.content {
            // Without members nothing is read.
            guard let value = found.value as? any Encodable, (try? JSON.encode(value)) == Array("{}".utf8) else {
                throw SchemaFault(type, "does not tell what it reads\(SchemaFault.sayIt)")
            }
            return .object([])
        }
        return try confirmed(found.run, found.plan, type)
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
                keep(found.value)
                guard case .object(let members) = try confirmed(found.run, found.plan, type), members.count == 1,
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
    private func confirmed<Value: Decodable>(
        _ first: SchemaRun, _ plan: SchemaRun.Plan, _ type: Value.Type
    ) throws -> JSONSchema {
        let asked = Set(first.asks)
        func isReadLike(_ change: (inout SchemaRun.Plan) -> Void) throws -> Bool {
            var plan = plan
            change(&plan)
            let (other, value) = try run(type, plan)
            // What is there is asked for, whatever is not.
            let gone = plan.spared.union(
                [plan.missing, plan.null, plan.failing.map { first.asks[$0].place }].compactMap(\.self))
            let isWhole = plan.length == 2 && value != nil
            let sought: Set<SchemaRun.Ask> =
                isWhole ? asked.filter { ask in !gone.contains { ask.place.starts(with: $0) } } : []
            guard asked.isSuperset(of: other.asks), sought.isSubset(of: other.asks) else { throw Self.undecided(type) }
            return value != nil
        }
        for variant in 0..<max(Self.variants, first.mostVariants) {
            for isPresent in [false, true] { _ = try isReadLike { ($0.variant, $0.isPresent) = (variant, isPresent) } }
        }
        var (needed, goneWithout): (Set<SchemaRun.Place>, Set<SchemaRun.Place>) = ([], [])
        for (index, ask) in first.asks.enumerated() {
            if try isReadLike({ $0.failing = index }) {
                goneWithout.insert(ask.place)
            } else {
                needed.insert(ask.place)
            }
        }
        // What it goes on without, as by `try?`, may be missing, too: but one of several may be wanted, or what stands beside it.
        let spared = goneWithout.subtracting(needed)
        guard !(first.root.isFlattened && goneWithout.contains([])), try isReadLike({ $0.spared = spared }) else {
            throw Self.undecided(type)
        }
        for length in [0, 1] where try !isReadLike({ $0.length = length }) && first.isCounted {
            throw SchemaFault(type, "takes lists of some lengths and not of others\(SchemaFault.sayIt)")
        }
        let missing = try first.soughtPlaces.filter { place in try isReadLike { $0.missing = place } }
        let null = try first.comparedPlaces.filter { place in try isReadLike { $0.null = place } }
        let schema = first.root.schema(
            optional: first.optionals.union(missing).union(spared), nullable: first.optionals.union(null))
        guard let schema else { throw SchemaFault(type, "does not tell all that it reads\(SchemaFault.sayIt)") }
        return schema
    }
}
