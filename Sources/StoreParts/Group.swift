import Entities

/// A commit that waits for the writer, with its callback.
package struct Write: Sendable {
    package let commit: Commit
    /// Takes the result.
    package let done: @Sendable (CommitResult) -> Void

    package init(_ commit: Commit, _ done: @escaping @Sendable (CommitResult) -> Void) {
        (self.commit, self.done) = (commit, done)
    }
}

/// The writes of one transaction, at most one for each entity.
///
/// Commits of one entity that build on each other become one write, from the first base to the last head. So a busy entity
/// costs one `UPDATE` a group, and its commits are stored together or not at all.
package struct Group: Sendable {
    /// The write of one entity.
    package struct Item: Sendable {
        /// The writes, in their order; all get the same result.
        package private(set) var writes: [Write]

        fileprivate init(_ write: Write) { writes = [write] }

        package var id: EntityID { writes[0].commit.id }
        /// The stamp that the row must have; nil if the row must not exist.
        package var base: Stamp? { writes[0].commit.base }
        /// The last commit, whose row is stored.
        package var last: Commit { writes[writes.count - 1].commit }

        /// Hands out the result.
        package func settle(_ result: CommitResult) { for write in writes { write.done(result) } }

        /// Adds a write that builds on the last one; false if it needs its own statement.
        fileprivate mutating func fold(_ write: Write) -> Bool {
            guard write.commit.base == last.state.head, !last.isEnd, !write.commit.isEnd else { return false }
            writes.append(write)
            return true
        }
    }

    /// One item for each entity, in the order of their first writes.
    package private(set) var items: [Item] = []
    /// The writes for the next group, in their order; they do not build on the last write of their entity.
    package private(set) var rest: [Write] = []

    /// Folds the waiting writes.
    package init(_ waiting: [Write]) {
        // The place of an entity in `items`; nil as value once one of its writes is in `rest`.
        var places: [EntityID: Int?] = [:]
        for write in waiting {
            let id = write.commit.id
            switch places[id] {
            case nil:
                places[id] = items.count
                items.append(Item(write))
            case .some(nil):
                rest.append(write)
            case .some(let place?):
                if !items[place].fold(write) {
                    places[id] = .some(nil)
                    rest.append(write)
                }
            }
        }
    }
}
