import Entities

/// A change that waits for the writer, with its callback.
package enum Write: Sendable {
    /// A commit.
    case commit(Commit, @Sendable (CommitResult) -> Void)
    /// The end of an entity, if its row has this stamp; nil is any.
    case end(EntityID, base: Stamp?, @Sendable (CommitResult) -> Void)

    /// The entity.
    package var id: EntityID {
        switch self {
        case .commit(let commit, _): commit.id
        case .end(let id, _, _): id
        }
    }

    /// Takes the result.
    package var done: @Sendable (CommitResult) -> Void {
        switch self {
        case .commit(_, let done), .end(_, _, let done): done
        }
    }
}

/// The writes of one transaction, at most one for each entity.
///
/// Commits of one entity that build on each other become one write, from the first base to the last head. So a busy entity
/// costs one `UPDATE` a group, and its commits are stored together or not at all.
package struct Group: Sendable {
    /// What the group does to one entity.
    package struct Item: Sendable {
        /// The entity.
        package let id: EntityID
        /// The stamp that the row must have; nil where there must be no row yet, and for an end where it may have any.
        package let base: Stamp?
        /// The last commit, whose row is stored; nil for an end.
        package fileprivate(set) var last: Commit?
        /// The keys of all commits.
        package fileprivate(set) var keys: [StoredKey] = []
        /// The callbacks of all writes, in their order; all get the same result.
        package fileprivate(set) var done: [@Sendable (CommitResult) -> Void]

        fileprivate init(_ write: Write) {
            (id, done) = (write.id, [write.done])
            switch write {
            case .commit(let commit, _):
                (base, last) = (commit.base, commit)
                if let key = commit.key { keys = [key] }
            case .end(_, let base, _): (self.base, last) = (base, nil)
            }
        }

        /// Takes a write that follows directly; false for one that needs a statement of its own.
        fileprivate mutating func fold(_ write: Write) -> Bool {
            switch (write, last) {
            case (.commit(let commit, _), let last?):
                guard commit.base == last.state.head else { return false }
                self.last = commit
                if let key = commit.key { keys.append(key) }
            case (.end(_, let base, _), nil):
                guard base == self.base else { return false }
            default: return false
            }
            done.append(write.done)
            return true
        }
    }

    /// The writes, in the order of each entity's first one.
    package private(set) var writes: [Item] = []
    /// The writes that wait for the next group, in their order: they do not follow directly on one of their entity.
    package private(set) var rest: [Write] = []

    /// Folds the writes that wait.
    package init(_ waiting: [Write]) {
        // The place of an entity in `writes`; nil as value once one of its writes is in `rest`.
        var places: [EntityID: Int?] = [:]
        for write in waiting {
            switch places[write.id] {
            case nil:
                places[write.id] = writes.count
                writes.append(Item(write))
            case .some(nil):
                rest.append(write)
            case .some(let place?):
                if !writes[place].fold(write) {
                    places[write.id] = .some(nil)
                    rest.append(write)
                }
            }
        }
    }
}
