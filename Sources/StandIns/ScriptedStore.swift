import Locking
import Sessions

/// A store that does to the next calls what a test says, and otherwise what the store behind it does.
package final class ScriptedStore: SessionStore {
    /// What happens to one call.
    package enum Step: Sendable {
        /// It waits before the gate and then goes through.
        case wait(Gate)
        /// Something else happens first.
        case after(@Sendable () async -> Void)
        /// It fails and is not done.
        case refuse
        /// What it asks for is not what a store wrote.
        case findDamage(String)
        /// It is done, and fails all the same.
        case loseTheAnswer
        /// It is done, and its answer waits before the gate.
        case holdTheAnswer(Gate)
    }

    /// What can be asked of a store.
    package enum Call: Hashable, Sendable { case load, look, commit, delete, touch, expire }

    private struct State {
        var steps: [Call: [Step]] = [:]
        var counts: [Call: Int] = [:]
        var isAway = false
        var latest: [SessionID: Task<Void, Never>] = [:]
        var commits: [Commit] = []
    }

    /// The store behind this one, to go past the script.
    package let behind: any SessionStore
    private let state = Lock(State())

    /// Stands before a store.
    package init(_ store: any SessionStore = MemoryStore()) { behind = store }

    /// Says what happens to the next calls of a kind, one step each.
    package func next(_ call: Call, _ steps: Step...) { state.withLock { $0.steps[call, default: []] += steps } }

    /// How often something was asked.
    package func count(of call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    /// Whether every call fails, because the store cannot be reached.
    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// The commits that were stored so far, those whose answer was lost among them, in the order in which they were.
    package var commits: [Commit] { state.withLock { $0.commits } }

    package func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? {
        let rest = try await play(.load)
        let record = try await behind.load(id)
        try await finish(rest)
        return record
    }

    package func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? {
        let rest = try await play(.look)
        let outcome = try await behind.outcome(of: key, in: id)
        try await finish(rest)
        return outcome
    }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        // One after the other in each session, whatever a step waits for: their order is part of the contract.
        state.withLock { state in
            let before = state.latest[commit.id]
            state.latest[commit.id] = Task {
                await before?.value
                do throws(StoreFailure) {
                    try await self.play(commit)
                    done(nil)
                } catch {
                    done(error)
                }
            }
        }
    }

    private func play(_ commit: Commit) async throws(StoreFailure) {
        let rest = try await play(.commit)
        try await behind.commit(commit)
        state.withLock { $0.commits.append(commit) }
        try await finish(rest)
    }

    package func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {
        let rest = try await play(.touch)
        try await behind.touch(ends)
        try await finish(rest)
    }

    package func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] {
        let rest = try await play(.expire)
        let ended = try await behind.deleteEnded(by: now, limit: limit)
        try await finish(rest)
        return ended
    }

    package func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int {
        guard !isAway else { throw .notSent }
        return try await behind.deleteEndedOutcomes(by: now, limit: limit)
    }

    package func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        guard !isAway else { throw .notSent }
        return try await behind.sessions(after: place, limit: limit)
    }

    package func count() async throws(StoreFailure) -> Int {
        guard !isAway else { throw .notSent }
        return try await behind.count()
    }

    package func close() async { await behind.close() }

    package func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        let rest = try await play(.delete)
        try await behind.delete(id, at: version)
        try await finish(rest)
    }

    package var isShared: Bool { behind.isShared }

    package var timeOfDay: TimeOfDay? { behind.timeOfDay }

    package func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? {
        behind.watch(id, moved)
    }

    package func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        behind.lease(id, isHeld)
    }

    package var incarnation: UInt64 { behind.incarnation }

    package func isReady() async -> Bool {
        guard !isAway else { return false }
        return await behind.isReady()
    }

    /// - Returns: the step, where there is more to it after the call was done.
    private func play(_ call: Call) async throws(StoreFailure) -> Step? {
        let (step, isAway): (Step?, Bool) = state.withLock { state in
            state.counts[call, default: 0] += 1
            let hasStep = state.steps[call]?.isEmpty == false
            return (hasStep ? state.steps[call]?.removeFirst() : nil, state.isAway)
        }
        guard !isAway else { throw .notSent }
        switch step {
        case nil: return nil
        case .wait(let gate): await gate.pass()
        case .after(let act): await act()
        case .refuse: throw .notSent
        case .findDamage(let what): throw .unreadable(what)
        case .loseTheAnswer, .holdTheAnswer: return step
        }
        return nil
    }

    private func finish(_ step: Step?) async throws(StoreFailure) {
        switch step {
        case .loseTheAnswer: throw .unknown
        case .holdTheAnswer(let gate): await gate.pass()
        default: break
        }
    }
}
