/// Further runs of a type that was read once: its shape is what the first run found where none of them asks for anything else.
struct SchemaConfirmation<Value: Decodable> {
    private let first: SchemaRun
    private let plan: SchemaRun.Plan
    private let search: SchemaSearch
    private let asked: Set<SchemaRun.Ask>
    private let undecided = SchemaSearch.undecided(Value.self)
    /// The values that it is run on again.
    private var variants: Set<Int> { Set(0..<max(64, first.mostVariants)).union([plan.variant]) }
    private let unevenLengths = SchemaFault(
        Value.self, "takes lists of some lengths and not of others\(SchemaFault.sayIt)")

    init(of type: Value.Type, _ first: SchemaRun, _ plan: SchemaRun.Plan, by search: SchemaSearch) {
        (self.first, self.plan, self.search) = (first, plan, search)
        asked = Set(first.asks)
    }

    /// - Throws: ``SchemaFault`` where one run could not tell it.
    func shape() throws -> JSONSchema {
        let (spared, values) = try spared()
        try confirmLengths()
        let schema = try first.root.schema(optional: spared.union(missing()), nullable: spared.union(null()))
        guard let schema else { throw SchemaFault(Value.self, "does not tell all that it reads\(SchemaFault.sayIt)") }
        let named = JSONSchema.named(search.name(of: Value.self), schema)
        guard values.allSatisfy(named.isWritten) else { throw undecided }
        return schema
    }

    /// What it is read as when something is changed.
    ///
    /// - Returns: a value, if one came of it, and whether all was asked for that was there.
    private func reread(
        _ change: (inout SchemaRun.Plan) -> Void
    ) throws -> (run: SchemaRun, value: Value?, isWhole: Bool) {
        var plan = plan
        change(&plan)
        let (other, value) = try search.run(Value.self, plan)
        let asks = Set(other.asks.map { asked.contains($0) || plan.length < 3 ? $0 : $0.ofElementBefore })
        guard asked.isSuperset(of: asks) else { throw undecided }
        let gone = plan.missing.union(plan.spared).union([plan.null, plan.failing?.place].compactMap(\.self))
        let isWhole = asked.subtracting(asks).allSatisfy { ask in gone.contains { ask.place.starts(with: $0) } }
        return (other, value, isWhole)
    }

    /// Whether a value comes of a change, by which no less is read than is there.
    private func isTaken(_ change: (inout SchemaRun.Plan) -> Void) throws -> Bool {
        let (_, value, isWhole) = try reread(change)
        guard isWhole || value == nil else { throw undecided }
        return value != nil
    }

    /// The members that it goes on without, as by `try?`: they may be missing, too; and the values that come of that.
    private func spared() throws -> (Set<SchemaRun.Place>, values: [Value]) {
        var (needed, goneWithout): (Set<SchemaRun.Place>, Set<SchemaRun.Place>) = ([[]], [])
        var values: [Value] = []
        for ask in first.asks {
            let (_, value, isWhole) = try reread { $0.failing = ask }
            if let value { values.append(value) }
            if value != nil { goneWithout.insert(ask.place) }
            // What takes others with it is no member that may be missing alone.
            if value == nil || !isWhole { needed.insert(ask.place) }
        }
        let spared = goneWithout.subtracting(needed)
        // One of several may be wanted, or what stands beside it.
        guard !(first.root.isFlattened && goneWithout.contains([])), try isTaken({ $0.spared = spared }) else {
            throw undecided
        }
        return (spared, values)
    }

    /// The members that it looks for before it reads them, and without which it takes any value: what is in the others may ask for them.
    private func missing() throws -> Set<SchemaRun.Place> {
        let sought = first.soughtPlaces
        let taken = try first.lessPlaces.filter { less in try isTaken { $0.missing = less } }
        var missing = plan.missing.union(taken.joined())
        for variant in variants {
            let alone = sought.subtracting(missing).map { [$0] as Set }
            for less in Set([plan.missing, plan.missing.union(missing), sought] + alone)
            where try isTaken({ ($0.variant, $0.missing) = (variant, less) }) { missing.formUnion(less) }
        }
        return missing
    }

    /// The values that it compares with null, and that may be it beside some of the others.
    private func null() throws -> Set<SchemaRun.Place> {
        let others =
            ([plan.missing, []] + first.lessPlaces).map { (plan.variant, $0) } + variants.map { ($0, plan.missing) }
        return try first.comparedPlaces.filter { place in
            try others.contains { variant, less in
                try isTaken { ($0.variant, $0.missing, $0.null) = (variant, less.subtracting([place]), place) }
            }
        }
    }

    /// Lists of any length, or of the one that it reads before it looks for their end.
    private func confirmLengths() throws {
        var exact: Set<SchemaRun.Place> = []
        for length in [0, 1] {
            let (run, value, isWhole) = try reread { $0.length = length }
            if first.isCounted, value == nil { throw unevenLengths }
            let read = run.overruns.filter { first.root.part(at: $0)?.isReadToEnd == true }
            if length == 0, isWhole { exact = read }
            guard read == exact else { throw unevenLengths }
        }
        for place in exact { first.root.part(at: place)?.isReadToEnd = false }
        let (run, value, isWhole) = try reread { $0.length = 3 }
        guard isWhole || value == nil else { throw undecided }
        // It has one element more where there is one.
        let places = Set(run.asks.map(\.place)).subtracting(first.asks.map(\.place))
        if exact.contains(where: { places.contains($0 + ["2"]) }) { throw unevenLengths }
    }
}

extension SchemaRun.Ask {
    /// Of a third element, the same of the second.
    fileprivate var ofElementBefore: SchemaRun.Ask {
        SchemaRun.Ask(place: place.map { $0 == "2" ? "1" : $0 }, type: type)
    }
}

extension JSONSchema {
    /// Whether a value is written like that, where it can be, as far as the shapes of what it refers to are known.
    fileprivate func isWritten(_ value: Any) -> Bool {
        guard let value = value as? any Encodable, let text = try? JSON.encode(value) else { return true }
        return [written, self].contains { (try? $0.mismatch(inText: text)) == .some(nil) }
    }
}

extension SchemaRun {
    /// What may be tried without: each alone of what it looks for, all but that, and all.
    var lessPlaces: [Set<Place>] {
        guard !soughtPlaces.isEmpty else { return [] }
        let places = soughtPlaces.sorted { $0.lexicographicallyPrecedes($1) }
        return places.map { [$0] } + places.map { soughtPlaces.subtracting([$0]) } + [soughtPlaces]
    }
}
