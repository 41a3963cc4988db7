/// Further runs of a type that was read once: its shape is what the first run found where none of them asks for anything else.
struct SchemaConfirmation<Value: Decodable> {
    private let first: SchemaRun
    private let plan: SchemaRun.Plan
    private let search: SchemaSearch
    private let asked: Set<SchemaRun.Ask>
    private let undecided = SchemaSearch.undecided(Value.self)
    /// The values that it is run on again, those on which it was read first of all.
    private var variants: [Int] { [plan.variant] + (0..<max(64, first.mostVariants)).filter { $0 != plan.variant } }
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
        let missing = try missing()
        let schema = try first.root.schema(
            optional: spared.union(first.soughtPlaces.intersection(missing.keys)), nullable: spared.union(null(missing))
        )
        guard let schema else { throw SchemaFault(Value.self, "does not tell all that it reads\(SchemaFault.sayIt)") }
        let named = JSONSchema.named(search.name(of: Value.self), schema)
        guard values.allSatisfy(named.isWritten) else { throw undecided }
        return schema
    }

    /// What it is read as when something is changed.
    ///
    /// - Returns: a value, if one came of it, and the places that were there and not asked for.
    private func reread(
        _ change: (inout SchemaRun.Plan) -> Void
    ) throws -> (run: SchemaRun, value: Value?, unread: Set<SchemaRun.Place>) {
        var plan = plan
        change(&plan)
        let (other, value) = try search.run(Value.self, plan)
        let asks = Set(other.asks.map { asked.contains($0) || plan.length < 3 ? $0 : $0.ofElementBefore })
        guard asked.isSuperset(of: asks) else { throw undecided }
        let gone = plan.missing.union(plan.failingPlaces).union([plan.null, plan.failing?.place].compactMap(\.self))
        let unread = Set(asked.subtracting(asks).map(\.place)).filter { place in
            !gone.contains { place.starts(with: $0) }
        }
        return (other, value, unread)
    }

    /// The places without which a value comes of a change; nil where none does.
    ///
    /// - Throws: ``SchemaFault`` where it then does not ask for what it else reads without looking for it.
    private func taken(_ change: (inout SchemaRun.Plan) -> Void) throws -> Set<SchemaRun.Place>? {
        let (run, value, unread) = try reread(change)
        guard value != nil else { return nil }
        guard unread.isSubset(of: first.avoidablePlaces) else { throw undecided }
        return run.plan.missing.union(unread)
    }

    /// The members that it goes on without, as by `try?`: they may be missing, too; and the values that come of that.
    private func spared() throws -> (Set<SchemaRun.Place>, values: [Value]) {
        var (needed, goneWithout): (Set<SchemaRun.Place>, Set<SchemaRun.Place>) = ([[]], [])
        var values: [Value] = []
        for ask in first.asks {
            let (_, value, unread) = try reread { $0.failing = ask }
            if let value { values.append(value) }
            if value != nil { goneWithout.insert(ask.place) }
            // What takes others with it is no member that may be missing alone.
            if value == nil || !unread.isEmpty { needed.insert(ask.place) }
        }
        let spared = goneWithout.subtracting(needed)
        // One of several may be wanted, or what stands beside it.
        guard !(first.root.isFlattened && goneWithout.contains([])), try taken({ $0.failingPlaces = spared }) != nil
        else {
            throw undecided
        }
        return (spared, values)
    }

    /// The places without which it takes a value, each with the first plan by which it does: what is in the others may ask for them.
    private func missing() throws -> [SchemaRun.Place: SchemaRun.Plan] {
        let lessPlaces = first.lessPlaces
        var missing: [SchemaRun.Place: SchemaRun.Plan] = [:]
        for variant in variants {
            let needed = first.avoidablePlaces.subtracting(missing.keys)
            // With all of it, and without all that may be missing: it must ask for nothing else.
            let known = [plan.missing, Set(missing.keys)]
            for less in known + lessPlaces.filter({ !needed.isDisjoint(with: $0) }) {
                var plan = plan
                (plan.variant, plan.missing) = (variant, less)
                for place in try taken({ $0 = plan }) ?? [] where missing[place] == nil { missing[place] = plan }
            }
        }
        return missing
    }

    /// The values that it compares with null, and that may be it, where they may be missing or else at all.
    private func null(_ missing: [SchemaRun.Place: SchemaRun.Plan]) throws -> Set<SchemaRun.Place> {
        try first.comparedPlaces.filter { place in
            try taken {
                $0 = missing[place] ?? plan
                $0.missing.remove(place)
                $0.null = place
            } != nil
        }
    }

    /// Lists of any length, or of the one that it reads before it looks for their end.
    private func confirmLengths() throws {
        var exact: Set<SchemaRun.Place> = []
        for length in [0, 1] {
            let (run, value, unread) = try reread { $0.length = length }
            if first.isCounted, value == nil { throw unevenLengths }
            let read = run.overruns.filter { first.root.part(at: $0)?.isReadToEnd == true }
            if length == 0, unread.isEmpty { exact = read }
            guard read == exact else { throw unevenLengths }
        }
        for place in exact { first.root.part(at: place)?.isReadToEnd = false }
        let (run, value, unread) = try reread { $0.length = 3 }
        guard unread.isEmpty || value == nil else { throw undecided }
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
    func isWritten(_ value: Any) -> Bool {
        guard let value = value as? any Encodable, let text = try? JSON.encode(value) else { return true }
        return [written, self].contains { (try? $0.mismatch(inText: text)) == .some(nil) }
    }
}

extension SchemaRun {
    /// The places that it looks at before it reads them.
    var avoidablePlaces: Set<Place> { soughtPlaces.union(comparedPlaces) }

    /// What may be tried without: of few of those any, of many each alone, all but that, and all.
    var lessPlaces: [Set<Place>] {
        let all = avoidablePlaces
        let places = all.sorted { $0.lexicographicallyPrecedes($1) }
        guard places.count > 6 else { return places.subsets.map { Set($0) } }
        return places.map { [$0] } + places.map { all.subtracting([$0]) } + [all]
    }
}

extension Array {
    /// What can be chosen of few elements, but for none of them.
    var subsets: [[Element]] {
        (0..<1 << count).dropFirst().map { bits in indices.filter { bits >> $0 & 1 == 1 }.map { self[$0] } }
    }
}
