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
    /// The name of a named entity; entries have it instead of their view model's name.
    let entity: String?
    /// The outputs that the caller may see.
    package let sight: Sight

    /// Everything, with values.
    package static let everything = FeedQuestion(topics: nil, hasValues: true)

    /// Nothing: only the end of the entity answers the wait.
    package static let end = FeedQuestion(topics: [], hasValues: false)

    private init(topics: [Topic]?, hasValues: Bool, entity: String? = nil, sight: Sight = .all) {
        (self.topics, self.hasValues, self.entity, self.sight) = (topics, hasValues, entity, sight)
    }

    /// Reads `topics` and `values` of a query; nil if a topic is unknown, or the caller may not see it.
    ///
    /// - Parameters:
    ///   - topics: names of view models and facets (`profile/card`); nil for everything.
    ///   - entity: the name of a named entity, as `desks/main`; topics have it instead of their view model's name.
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
    /// The places of a topic's outputs; nil if the topic is not of this view model.
    ///
    /// - Parameter name: the name of the view model or of its named entity.
    fileprivate func outputs(of topic: String, as name: String) -> [Int]? {
        if topic == name { return places }
        return topic.hasPrefix("\(name)/") ? facets[String(topic.dropFirst(name.count + 1))] : nil
    }
}

/// The position of a client in the feed.
package enum FeedPosition: Hashable, Sendable {
    /// The client has no cursor.
    case start
    /// The client sent a cursor; nil for a text that is not a stamp.
    case cursor(Stamp?)
    /// An accepted cursor, with its lineage in this process; it stays valid after it leaves the ring.
    case accepted(Stamp, seq: UInt64, lineage: UInt64)
}
