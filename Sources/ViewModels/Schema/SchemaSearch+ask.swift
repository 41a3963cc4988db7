extension SchemaSearch {
    func run<Value: Decodable>(
        _ type: Value.Type, _ plan: SchemaRun.Plan
    ) throws -> (run: SchemaRun, value: Value?) {
        let run = SchemaRun(plan, of: self)
        let value = AskedType.name(type) { try? Value(from: SchemaProbe(run: run, part: run.root)) }
        if let fault = run.fault { throw fault }
        return (run, value)
    }

    /// On how many values a type is tried for one that it takes: it may want a certain one of each of several.
    private static let mostTries = 256
    private static let fewTries = 16

    static func undecided(_ type: any Any.Type) -> SchemaFault {
        SchemaFault(type, "reads one thing or another by what it finds\(SchemaFault.sayIt)")
    }

    /// A run that came to an end, on whichever values: with all that may be there, or else with less.
    private func success<Value: Decodable>(
        _ type: Value.Type, _ plan: SchemaRun.Plan
    ) throws -> (run: SchemaRun, value: Value, plan: SchemaRun.Plan)? {
        var plan = plan
        for variant in 0..<Self.mostTries {
            plan.variant = variant
            let (run, value) = try run(type, plan)
            if let value { return (run, value, plan) }
        }
        for variant in 0..<Self.fewTries {
            (plan.variant, plan.missing) = (variant, [])
            let (whole, _) = try run(type, plan)
            for missing in whole.lessPlaces {
                plan.missing = missing
                let (run, value) = try run(type, plan)
                guard let value else { continue }
                whole.add(run)
                return (whole, value, plan)
            }
        }
        return nil
    }

    /// The shape that a type's `init(from:)` asks for.
    func ask<Value: Decodable>(_ type: Value.Type) throws -> JSONSchema {
        let (first, _) = try run(type, SchemaRun.Plan())
        if let cases = first.root.cases { return try ask(type, forEach: cases) }
        guard var found = try success(type, SchemaRun.Plan()) else {
            throw SchemaFault(
                type,
                "takes none of the values that were made up for it\(SchemaFault.sayIt), or give a member that does so a jsonExample"
            )
        }
        keep(found.value)
        // By now there may be a value of it in itself.
        if isMetAgain(type) { found = try success(type, SchemaRun.Plan()) ?? found }
        if case .nothing = found.run.root.content {
            // Without members nothing is read.
            guard let value = found.value as? any Encodable, (try? JSON.encode(value)) == Array("{}".utf8) else {
                throw SchemaFault(type, "does not tell what it reads\(SchemaFault.sayIt)")
            }
            return .object([])
        }
        return try SchemaConfirmation(of: type, found.run, found.plan, by: self).shape()
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
                guard
                    case .object(let members) = try SchemaConfirmation(of: type, found.run, found.plan, by: self)
                        .shape(), members.count == 1,
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
}
