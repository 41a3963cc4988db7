import Locking
import Sessions

/// Who wants to be told of which sessions.
final class Watches: Sendable {
    private struct Watched {
        /// What was last told of it, or seen.
        var version: CommitVersion?
        var isSeen = false
        var watchers: [UInt64: @Sendable (CommitVersion?) -> Void] = [:]
    }

    private struct State {
        var watched: [SessionID: Watched] = [:]
        var latest: UInt64 = 0
    }

    private let state = Lock(State())

    /// Adds a watcher until what comes back is released.
    func add(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle {
        let number = state.withLock { state in
            state.latest += 1
            state.watched[id, default: Watched()].watchers[state.latest] = moved
            return state.latest
        }
        return StoreHandle { [weak self] in
            self?.state.withLock { state in
                state.watched[id]?.watchers[number] = nil
                if state.watched[id]?.watchers.isEmpty == true { state.watched[id] = nil }
            }
        }
    }

    /// The sessions that are watched.
    var ids: [SessionID] { state.withLock { Array($0.watched.keys) } }

    /// Tells those who watch a session where it has come to; once of each version.
    ///
    /// - Parameter version: nil where the session has ended.
    /// - Returns: whether that is another than was told or seen before.
    @discardableResult
    func tell(_ id: SessionID, _ version: CommitVersion?) -> Bool {
        var isNews = false
        let watchers = state.withLock { state -> [@Sendable (CommitVersion?) -> Void] in
            guard let watched = state.watched[id], !watched.isSeen || watched.version != version else { return [] }
            isNews = watched.isSeen
            state.watched[id]?.version = version
            state.watched[id]?.isSeen = true
            return Array(watched.watchers.values)
        }
        for moved in watchers { moved(version) }
        return isNews
    }
}
