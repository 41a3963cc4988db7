/// A client's question to the change feed, apart from its cursor; equal questions share one body.
package struct FeedQuestion: Hashable, Sendable {
    /// Some or all outputs of a view model, by their places.
    struct Topic: Hashable, Sendable {
        let index: Int
        let outputs: [Int]
    }

    /// The topics in declared order; nil for everything.
    let topics: [Topic]?
    let hasValues: Bool
    /// The name of a named entity, which entries have instead of their view model's.
    let entity: String?
    /// What the caller may see.
    package let sight: Sight

    /// Everything, with values.
    package static let everything = FeedQuestion(topics: nil, hasValues: true)

    /// Nothing: a wait is answered by the end of the entity alone.
    package static let end = FeedQuestion(topics: [], hasValues: false)

    private init(topics: [Topic]?, hasValues: Bool, entity: String? = nil, sight: Sight = .all) {
        (self.topics, self.hasValues, self.entity, self.sight) = (topics, hasValues, entity, sight)
    }

    /// Reads `topics` and `values` of a query; nil where a topic is unknown, or not to be seen.
    ///
    /// - Parameters:
    ///   - topics: names of view models and facets (`profile/card`); nil for everything.
    ///   - entity: the name of a named entity, as `desks/main`, under which its view model is known.
    package init?(
        topics names: [String]?, hasValues: Bool, declarations: [PartDeclaration], entity: String? = nil,
        sight: Sight = .all
    ) {
        let names = names ?? sight.facet.map { ["\(entity ?? "")/\($0)"] }
        guard let names else {
            self.init(topics: nil, hasValues: hasValues, entity: entity)
            return
        }
        // Two topics of one view model become one, so that no output is sent twice.
        var wanted: [Int: Set<Int>] = [:]
        for name in names {
            let found = declarations.enumerated().lazy.compactMap { index, declaration in
                declaration.outputs(of: name, as: entity ?? declaration.name).map { (index, $0) }
            }
            guard let (index, outputs) = found.first else { return nil }
            let visible = sight.facet.map { Set(declarations[index].facets[$0] ?? []) }
            let isWhole = name == entity ?? declarations[index].name
            guard isWhole || visible?.isSuperset(of: outputs) ?? true else { return nil }
            wanted[index, default: []].formUnion(visible.map { $0.intersection(outputs) } ?? Set(outputs))
        }
        let topics = wanted.sorted { $0.key < $1.key }.map { Topic(index: $0.key, outputs: $0.value.sorted()) }
        self.init(topics: topics, hasValues: hasValues, entity: entity, sight: sight)
    }
}

extension PartDeclaration {
    /// The places of a topic's outputs; nil where the topic is not of this view model.
    ///
    /// - Parameter name: the name under which the view model is known.
    fileprivate func outputs(of topic: String, as name: String) -> [Int]? {
        if topic == name { return Array(outputs.indices) }
        return topic.hasPrefix("\(name)/") ? facets[String(topic.dropFirst(name.count + 1))] : nil
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
