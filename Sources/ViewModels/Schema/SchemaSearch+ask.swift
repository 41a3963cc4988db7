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
        /// - Returns: a value, and whether all was asked for that was there.
        func reread(_ change: (inout SchemaRun.Plan) -> Void) throws -> (run: SchemaRun, value: Value?, isWhole: Bool) {
            var plan = plan
            change(&plan)
            let (other, value) = try run(type, plan)
            let asks = Set(other.asks.map { asked.contains($0) || plan.length < 3 ? $0 : $0.ofElementBefore })
            guard asked.isSuperset(of: asks) else { throw Self.undecided(type) }
            let gone = plan.missing.union(plan.spared).union(
                [plan.null, plan.failing.map { first.asks[$0].place }].compactMap(\.self))
            let isWhole = asked.allSatisfy { ask in asks.contains(ask) || gone.contains { ask.place.starts(with: $0) } }
            return (other, value, isWhole)
        }
        func isReadLike(_ change: (inout SchemaRun.Plan) -> Void) throws -> Bool {
            let (_, value, isWhole) = try reread(change)
            guard isWhole || value == nil else { throw Self.undecided(type) }
            return value != nil
        }
        for variant in 0..<max(Self.variants, first.mostVariants) {
            for isPresent in [false, true] { _ = try isReadLike { ($0.variant, $0.isPresent) = (variant, isPresent) } }
        }
        var (needed, goneWithout): (Set<SchemaRun.Place>, Set<SchemaRun.Place>) = ([[]], [])
        var lessened: [Value] = []
        for (index, ask) in first.asks.enumerated() {
            let (_, value, isWhole) = try reread { $0.failing = index }
            if let value { lessened.append(value) }
            if value != nil { goneWithout.insert(ask.place) }
            // What takes others with it is no member that may be missing alone.
            if value == nil || !isWhole { needed.insert(ask.place) }
        }
        // What it goes on without, as by `try?`, may be missing, too: but one of several may be wanted, or what stands beside it.
        let spared = goneWithout.subtracting(needed)
        guard !(first.root.isFlattened && goneWithout.contains([])), try isReadLike({ $0.spared = spared }) else {
            throw Self.undecided(type)
        }
        try confirmLengths(of: first, type) { length in try reread { $0.length = length } }
        let missing = try Set(first.soughtPlaces.filter { place in try isReadLike { $0.missing = [place] } })
        guard try isReadLike({ $0.missing = missing }) else { throw Self.undecided(type) }
        let null = try first.comparedPlaces.filter { place in try isReadLike { $0.null = place } }
        let optionals = first.optionals.subtracting(first.demanded).union(spared)
        let schema = first.root.schema(optional: optionals.union(missing), nullable: optionals.union(null))
        guard let schema else { throw SchemaFault(type, "does not tell all that it reads\(SchemaFault.sayIt)") }
        guard lessened.allSatisfy({ schema.isWritten($0) }) else { throw Self.undecided(type) }
        return schema
    }

    /// Whether a list may have any length, or has one.
    private func confirmLengths<Value: Decodable>(
        of first: SchemaRun, _ type: Value.Type,
        reread: (Int) throws -> (run: SchemaRun, value: Value?, isWhole: Bool)
    ) throws {
        let fault = SchemaFault(type, "takes lists of some lengths and not of others\(SchemaFault.sayIt)")
        var exact: Set<SchemaRun.Place> = []
        for length in [0, 1] {
            let (run, value, isWhole) = try reread(length)
            if first.isCounted, value == nil { throw fault }
            let read = run.overruns.filter { first.root.part(at: $0)?.isReadToEnd == true }
            // It looks for the end of what it has read already, whatever there was.
            if length == 0, isWhole { exact = read }
            guard read == exact else { throw fault }
        }
        for place in exact { first.root.part(at: place)?.isReadToEnd = false }
        let (run, value, isWhole) = try reread(3)
        guard isWhole || value == nil else { throw Self.undecided(type) }
        // It has one element more where there is one.
        let places = Set(run.asks.map(\.place)).subtracting(first.asks.map(\.place))
        if exact.contains(where: { places.contains($0 + ["2"]) }) { throw fault }
    }
}

extension SchemaRun.Ask {
    /// Of a third element, the same of the second.
    fileprivate var ofElementBefore: SchemaRun.Ask {
        SchemaRun.Ask(place: place.map { $0 == "2" ? "1" : $0 }, type: type)
    }
}

extension JSONSchema {
    /// Whether a value is written like that, where it can be.
    fileprivate func isWritten(_ value: Any) -> Bool {
        guard references.isEmpty, let value = value as? any Encodable, let text = try? JSON.encode(value) else {
            return true
        }
        return [written, self].contains { (try? $0.mismatch(inText: text)) == .some(nil) }
    }
}
