/// Further runs of a type that was read once: its shape is what the first run found where none of them asks for anything else.
struct SchemaConfirmation<Value: Decodable> {
    private let first: SchemaRun
    private let value: Value
    private let plan: SchemaRun.Plan
    private let search: SchemaSearch
    private let asked: Set<SchemaRun.Ask>
    private let undecided = SchemaSearch.undecided(Value.self)
    /// The values that it is run on again.
    private var variants: Set<Int> { Set(0..<max(64, first.mostVariants)).union([plan.variant]) }
    private let unevenLengths = SchemaFault(
        Value.self, "takes lists of some lengths and not of others\(SchemaFault.sayIt)")

    init(_ found: (run: SchemaRun, value: Value, plan: SchemaRun.Plan), by search: SchemaSearch) {
        (first, value, plan) = found
        self.search = search
        asked = Set(first.asks)
    }

    /// - Throws: ``SchemaFault`` where one run could not tell it.
    func shape() throws -> JSONSchema {
        let taken = try takenVariants()
        let (spared, withSomeSpared) = try spared()
        try confirmLengths()
        let (missing, withLess) = try missing(taken)
        let null = try first.comparedPlaces.filter { place in try isReadLike { $0.null = place } }
        let optionals = first.optionals.subtracting(first.demanded).union(spared)
        let schema = first.root.schema(optional: optionals.union(missing), nullable: optionals.union(null))
        guard let schema else { throw SchemaFault(Value.self, "does not tell all that it reads\(SchemaFault.sayIt)") }
        // What is written otherwise even where nothing is missing is told as that.
        let lessened = withSomeSpared + (schema.isWritten(value) ? withLess : [])
        guard lessened.allSatisfy({ schema.isWritten($0) }) else { throw undecided }
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
        let failing = plan.failing.map { first.asks[$0].place }
        let gone = plan.missing.union(plan.spared).union([plan.null, failing].compactMap(\.self))
        let isWhole = asked.allSatisfy { ask in asks.contains(ask) || gone.contains { ask.place.starts(with: $0) } }
        return (other, value, isWhole)
    }

    private func isReadLike(_ change: (inout SchemaRun.Plan) -> Void) throws -> Bool {
        let (_, value, isWhole) = try reread(change)
        guard isWhole || value == nil else { throw undecided }
        return value != nil
    }

    /// Those of the values that it takes, where it asks for the same on all of them, also with what may be missing.
    private func takenVariants() throws -> Set<Int> {
        try Set(
            variants.filter { variant in
                _ = try isReadLike { ($0.variant, $0.isPresent) = (variant, true) }
                return try isReadLike { $0.variant = variant }
            })
    }

    /// The members that it goes on without, as by `try?`: they may be missing, too; and the values that come of that.
    private func spared() throws -> (Set<SchemaRun.Place>, values: [Value]) {
        var (needed, goneWithout): (Set<SchemaRun.Place>, Set<SchemaRun.Place>) = ([[]], [])
        var values: [Value] = []
        for (index, ask) in first.asks.enumerated() {
            let (_, value, isWhole) = try reread { $0.failing = index }
            if let value { values.append(value) }
            if value != nil { goneWithout.insert(ask.place) }
            // What takes others with it is no member that may be missing alone.
            if value == nil || !isWhole { needed.insert(ask.place) }
        }
        let spared = goneWithout.subtracting(needed)
        // One of several may be wanted, or what stands beside it.
        guard !(first.root.isFlattened && goneWithout.contains([])), try isReadLike({ $0.spared = spared }) else {
            throw undecided
        }
        return (spared, values)
    }

    /// The members that it looks for before it reads them, and that may be missing, those all at once as well.
    ///
    /// - Returns: also the values that come of it where another is missing, or none is there: each may be wanted only by what is
    ///   in another.
    private func missing(_ taken: Set<Int>) throws -> (Set<SchemaRun.Place>, values: [Value]) {
        let sought = first.soughtPlaces
        var values: [Value] = []
        let missing = try Set(sought.filter { place in try isReadLike { $0.missing = [place] } })
        for variant in variants {
            let isTaken = try isReadLike { ($0.variant, $0.missing) = (variant, missing) }
            guard isTaken || !taken.contains(variant) else { throw undecided }
            for less in sought.subtracting(missing).map({ [$0] }) + (sought.isEmpty ? [] : [sought]) {
                if let value = try reread({ ($0.variant, $0.missing) = (variant, less) }).value { values.append(value) }
            }
        }
        return (missing, values)
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
    /// Whether a value is written like that, where it can be.
    fileprivate func isWritten(_ value: Any) -> Bool {
        guard references.isEmpty, let value = value as? any Encodable, let text = try? JSON.encode(value) else {
            return true
        }
        return [written, self].contains { (try? $0.mismatch(inText: text)) == .some(nil) }
    }
}
