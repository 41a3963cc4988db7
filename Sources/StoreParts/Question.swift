import Entities

/// A question for a reader, with its callback.
package enum Question: Sendable {
    /// Reads an entity.
    case load(EntityID, @Sendable (LoadResult) -> Void)
    /// Reads the stamp of an entity.
    case head(EntityID, @Sendable (HeadResult) -> Void)
    /// Looks for a key whose window has not passed.
    case key(KeyDigest, EntityID, @Sendable (KeyResult) -> Void)

    /// The entity.
    package var id: EntityID {
        switch self {
        case .load(let id, _), .head(let id, _), .key(_, let id, _): id
        }
    }

    /// Answers that the store does not answer.
    package func fail() {
        switch self {
        case .load(_, let done): done(.failed)
        case .head(_, let done): done(.failed)
        case .key(_, _, let done): done(.failed)
        }
    }
}

/// How many writes of each entity have no answer.
///
/// A question for such an entity goes to the writer, to keep its place.
package struct UnderWay: Sendable {
    private var counts: [EntityID: Int] = [:]

    /// Nothing is under way.
    package init() {}

    /// Whether there is any write of the entity.
    package func contains(_ id: EntityID) -> Bool { counts[id] != nil }

    /// Notes a write.
    package mutating func add(_ id: EntityID) { counts[id, default: 0] += 1 }

    /// Writes of the entity are answered.
    package mutating func remove(_ id: EntityID, _ count: Int) {
        guard let index = counts.index(forKey: id) else { return }
        counts.values[index] -= count
        if counts.values[index] <= 0 { counts.remove(at: index) }
    }
}
