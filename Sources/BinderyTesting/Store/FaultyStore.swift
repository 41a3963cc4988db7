import Entities
import Locking

/// A store in memory with the faults that a test sets.
package final class FaultyStore: EntityStore {
    /// The fault of a commit.
    package enum Fault: Sendable {
        /// The store refuses the commit.
        case refused
        /// The commit is not stored, and its answer is lost.
        case lost
        /// The commit is stored, and its answer is lost.
        case unanswered
    }

    private struct State: Sendable {
        var table = MemoryTable()
        var isAway = false
        /// The delayed calls; nil while the store delays none.
        var held: [@Sendable () -> Void]?
        var faults: [Fault] = []
        var commits: [Commit] = []
    }

    package let isShared = false
    private let state = Lock(State())
    private let clock: @Sendable () -> Duration
    package var now: Duration { clock() }

    package init(now: @escaping @Sendable () -> Duration) { clock = now }

    /// The stored commits, in their order.
    package var commits: [Commit] { state.withLock { $0.commits } }

    /// The stored rows; the setter replaces them.
    package var table: MemoryTable {
        get { state.withLock { $0.table } }
        set { state.withLock { $0.table = newValue } }
    }

    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// Sets the faults of the next commits, one for each commit.
    package func next(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Whether the store delays commits; on a change to false, it takes them in their order.
    package var isHeld: Bool {
        get { state.withLock { $0.held != nil } }
        set {
            let held = state.withLock { state in
                let held = state.held ?? []
                state.held = newValue ? held : nil
                return newValue ? [] : held
            }
            for submit in held { submit() }
        }
    }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        let isHeld = state.withLock { state in
            state.held?.append { [self] in done(store(commit)) }
            return state.held != nil
        }
        if !isHeld { done(store(commit)) }
    }

    private func store(_ commit: Commit) -> CommitResult {
        let time = now
        return state.withLock { state in
            if state.isAway { return .refused }
            let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
            if case .refused = fault { return .refused }
            if case .lost = fault {
            } else {
                guard state.table.apply(commit, at: time) else { return .conflict }
                state.commits.append(commit)
            }
            return fault == nil ? .stored : .unknown
        }
    }

    package func load(_ id: EntityID, then done: @escaping @Sendable (ReadResult<StoredEntity>) -> Void) {
        done(state.withLock { $0.isAway ? .failed : ReadResult($0.table.load(id)) })
    }

    package func head(of id: EntityID, then done: @escaping @Sendable (ReadResult<Stamp>) -> Void) {
        done(state.withLock { $0.isAway ? .failed : ReadResult($0.table.head(of: id)) })
    }

    package func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        let time = now
        done(state.withLock { $0.isAway ? .failed : $0.table.lookUp(key, in: id, at: time) })
    }

    package func touch(_ ids: [EntityID]) {
        let time = now
        state.withLock { state in for id in ids { state.table.touch(id, at: time) } }
    }

    package func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void) {
        let time = now
        done(state.withLock { $0.isAway ? Expired() : $0.table.expire(unusedFor: ttl, limit: limit, at: time) })
    }

    package func sessions(of user: String, limit: Int, then done: @escaping @Sendable ([EntityID]?) -> Void) {
        done(state.withLock { $0.isAway ? nil : $0.table.sessions(of: user, limit: limit) })
    }

    package func takeDue(limit: Int, for lease: Duration, then done: @escaping @Sendable (DueEntities?) -> Void) {
        let time = now
        done(state.withLock { $0.isAway ? nil : $0.table.takeDue(limit: limit, for: lease, at: time) })
    }

    package func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) {}

    package func isReady(then done: @escaping @Sendable (Bool) -> Void) { done(!isAway) }

    package func close(then done: @escaping @Sendable () -> Void) { done() }
}
