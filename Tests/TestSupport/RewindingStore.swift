import Locking
import Sessions

/// A store in memory that can be put back to what it was, while it is in use.
package final class RewindingStore: SessionStore {
    private struct State {
        var store = MemoryStore()
        var commits: [Commit] = []
    }

    private let state = Lock(State())
    private var store: MemoryStore { state.withLock { $0.store } }

    /// The same, whatever it is put back to: what it is that loses commits does not say so.
    package let incarnation: UInt64 = 1
    package let isShared = true

    package init() {}

    /// Puts the store back to its first commits.
    package func rewind(to count: Int) {
        state.withLock { state in
            state.commits.removeLast(state.commits.count - count)
            state.store = MemoryStore()
            for commit in state.commits { state.store.submit(commit) { _ in } }
        }
    }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        store.submit(commit) { failure in
            if failure == nil { self.state.withLock { $0.commits.append(commit) } }
            done(failure)
        }
    }

    package func load(_ id: SessionID) -> SessionRecord? { store.load(id) }

    package func delete(_ id: SessionID, at version: CommitVersion) throws(StoreFailure) {
        try store.delete(id, at: version)
    }

    package func touch(_ ends: [SessionID: TimeOfDay]) { store.touch(ends) }

    package func deleteEnded(by now: TimeOfDay, limit: Int) -> [SessionID] { store.deleteEnded(by: now, limit: limit) }

    package func outcome(of key: KeyDigest, in id: SessionID) -> RememberedOutcome? { store.outcome(of: key, in: id) }

    package func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) -> Int {
        store.deleteEndedOutcomes(by: now, limit: limit)
    }

    package func sessions(after place: Int64, limit: Int) -> [SessionSummary] {
        store.sessions(after: place, limit: limit)
    }

    package func count() -> Int { store.count() }

    package func isReady() -> Bool { true }

    package func close() {}
}
