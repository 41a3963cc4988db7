/// A client's question to the change feed, apart from its cursor; equal questions share one body.
package struct FeedQuestion: Hashable, Sendable {
    /// Some or all outputs of a view model, by their places.
    struct Topic: Hashable, Sendable {
        let index: Int
        let outputs: [Int]
    }

    /// The topics in declared order; nil for everything.
    let topics: [Topic]?
    /// Whether entries have their value.
    let hasValues: Bool

    /// Everything, with values.
    package static let everything = FeedQuestion(topics: nil, hasValues: true)

    private init(topics: [Topic]?, hasValues: Bool) { (self.topics, self.hasValues) = (topics, hasValues) }

    /// Reads `topics` and `values` of a query.
    ///
    /// - Parameter topics: names of view models and facets (`profile/card`); nil for everything.
    /// - Returns: nil where a topic is unknown.
    package init?(topics names: [String]?, hasValues: Bool, declarations: [PartDeclaration]) {
        guard let names else {
            self.init(topics: nil, hasValues: hasValues)
            return
        }
        // Two topics of one view model become one, so that no output is sent twice.
        var wanted: [Int: Set<Int>] = [:]
        for name in names {
            let halves = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let index = declarations.firstIndex(where: { $0.name == halves[0] }) else { return nil }
            let outputs =
                halves.count == 1 ? Array(declarations[index].outputs.indices) : declarations[index].facets[halves[1]]
            guard let outputs else { return nil }
            wanted[index, default: []].formUnion(outputs)
        }
        let topics = wanted.sorted { $0.key < $1.key }.map { Topic(index: $0.key, outputs: $0.value.sorted()) }
        self.init(topics: topics, hasValues: hasValues)
    }
}

/// Where a client stands in the feed.
package enum FeedPosition: Hashable, Sendable {
    /// The client has no cursor.
    case start
    /// The client sent a cursor. Nil is a text that is not a stamp.
    case cursor(Stamp?)
    /// A believed cursor, with its place in this process's line of commits. It stays good while the ring moves on.
    case believed(Stamp, seq: UInt64, lineage: UInt64)
}
