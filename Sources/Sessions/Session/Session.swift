import Locking
import ViewModels

/// One user's view models, their notification center and their change feed.
///
/// Safe from any thread. What it shows is committed; its live view models act one turn at a time, behind a turnstile.
public final class Session: Sendable {
    struct State: Sendable {
        var feed: ChangeFeed
        var polls = WaitingPolls()
        var nextPoll: UInt64 = 0
        var hasEnded = false
        /// Whether the store may be ahead of the feed: a commit failed, and may have been stored for all we know.
        var isBehind = false
        var lastUse: Duration
        var actionLimit = ActionLimit()
    }

    /// The name under which the session is kept.
    public let id: SessionID
    /// The language its view models speak.
    public let language: Language
    let surroundings: SessionSurroundings
    let turnstile: Turnstile<Stage>
    let state: Lock<State>

    init(id: SessionID, record: SessionRecord, surroundings: SessionSurroundings) {
        self.id = id
        self.surroundings = surroundings
        language = record.language
        let door = StageDoor()
        turnstile = Turnstile(Stage(catalogue: surroundings.catalogue, language: record.language, door: door))
        state = Lock(
            State(feed: ChangeFeed(catalogue: surroundings.catalogue, record: record), lastUse: surroundings.timer.now))
        door.open(to: self)
    }

    /// Where the session's feed stands.
    public var cursor: Cursor { state.withLock { $0.feed.cursor } }

    /// How many polls and streams wait for a change.
    public var waitingCount: Int { state.withLock { $0.polls.count } }

    /// How long nobody has used the session; zero while somebody waits for it to change.
    func idleTime(at now: Duration) -> Duration {
        state.withLock { $0.polls.isEmpty ? now - $0.lastUse : .zero }
    }

    /// Notes that the session is in use.
    ///
    /// - Returns: false where it has ended.
    @discardableResult
    func use() -> Bool {
        let now = surroundings.timer.now
        return state.withLock { state in
            state.lastUse = now
            return !state.hasEnded
        }
    }

    /// Ends the session, in the store too; whoever waits for a change is told.
    ///
    /// One that has ended is left alone: the store may hold another of its name by now.
    ///
    /// - Throws: ``SessionFailure/unavailable`` where the store does not answer; the session goes on.
    public func end() async throws { try await end { true } }

    /// Ends the session if nobody has used it for so long.
    ///
    /// - Returns: whether it was ended.
    /// - Throws: ``SessionFailure/unavailable`` where the store does not answer; the session goes on.
    func end(ifIdleFor timeToLive: Duration) async throws -> Bool {
        // Decided when the turn has come: whoever had it may have been in the middle of an action.
        try await end { idleTime(at: surroundings.timer.now) >= timeToLive }
    }

    @discardableResult
    private func end(where isWanted: () -> Bool) async throws -> Bool {
        try await turnstile.withTurn { stage in
            guard !state.withLock({ $0.hasEnded }), isWanted() else { return false }
            do { try await surroundings.store.delete(id) } catch { throw SessionFailure.unavailable }
            markEnded(stage)
            return true
        }
    }

    func markEnded(_ stage: Stage) {
        stage.clear()
        let polls = state.withLock { state in
            state.hasEnded = true
            return state.polls.removeAll()
        }
        answer(polls) { _ in .ended }
    }

    /// Answers whoever waits, because the server is about to stop.
    func drain() {
        let polls = state.withLock { $0.polls.removeAll() }
        answer(polls) { _ in .idle(.draining(retryAfter: .random(in: 0...5))) }
    }

    /// Gives waits that were taken out under the lock their outcome; called after unlocking.
    ///
    /// A few are answered here and now; a crowd is answered by a task of its own, so that whoever woke it need not
    /// wait until the last has its answer.
    func answer(
        _ polls: [WaitingPolls.Poll], with outcome: @escaping @Sendable (WaitingPolls.Poll) -> WaitingPolls.Outcome
    ) {
        guard !polls.isEmpty else { return }
        surroundings.timer.cancel(polls.lazy.compactMap(\.deadline))
        guard polls.count > Self.crowd else { return polls.forEach { $0.answer(outcome($0)) } }
        Task { polls.forEach { $0.answer(outcome($0)) } }
    }

    private static let crowd = 32
}
