/// Where sessions are kept.
///
/// The contract, which one suite of tests runs over every store:
/// - ``submit(_:then:)`` compares and sets: it stores the commit only where the session stands at the version that it was
///   made from, and then the whole of it. When it says that it did, ``load(_:)`` gives the new state, from every replica that
///   shares the store, and after a crash too, as far as the store promises to survive one.
/// - Commits of one session are taken in the order in which they were submitted, without waiting for one another: a
///   commit's `base` may be the version of a commit still under way. If that one is not stored, no commit based on it is
///   stored either, whatever another writer stores meanwhile. `done` may be called in any order.
/// - An outcome is stored with its commit, found by its key until its end, and found no more from then on; one key has one
///   outcome. That a request happens once follows from the rule of versions: a writer looks for the key (``outcome(of:in:)``)
///   after it has read the version that its commit is to stand on, or one that leads there. Whoever stores the same key
///   meanwhile moves the version, by a commit that remembers and nothing else, too, and the writer's commit conflicts. So a
///   store need not look for the key again; where a commit brings one that is there, its outcome takes the other's place.
/// - Each commit says the session's language, which may be another than before, and ``load(_:)`` gives that of the latest.
/// - Nothing brings a session's end forward, neither a commit nor a touch: another replica may have put it off further, and a
///   clock may have been set back. One that never ends goes on doing so.
/// - A commit that failed was not stored, but for ``StoreFailure/unknown``: then nobody knows, and the session is read
///   before it goes on.
/// - Any method may be called from any thread at any time. None heeds the cancellation of its task: what was begun is
///   finished.
public protocol SessionStore: AnyObject, Sendable {
    /// The session as it stands, or nil where there is none of that name or its time is over.
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord?

    /// What a request with an idempotency key came to; nil where there is no such key, or its time is over.
    ///
    /// That the session's time is over makes no difference as long as it is there: the action that asks puts off its end.
    /// Asked before each action with a key: one look-up, off the event loops, beside commits that are under way.
    func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome?

    /// The session, where it stands elsewhere than the caller knows: what a replica asks before each answer that speaks of
    /// state, where others may have moved the session on.
    func load(_ id: SessionID, unless known: CommitVersion) async throws(StoreFailure) -> LoadedSession

    /// At which versions sessions stand, in one look; those that are not there are left out.
    ///
    /// For a store that tells of others' commits by looking now and then, as one on the other side of a network does.
    func versions(of ids: [SessionID]) async throws(StoreFailure) -> [SessionID: CommitVersion]

    /// Tells of commits of a session by whoever makes them, as soon as may be; a hint, which may be lost or come twice.
    ///
    /// - Parameter moved: called from any thread with the version that the session has come to, nil for its end. It must not
    ///   block.
    /// - Returns: what keeps the watch for as long as it is kept; nil where nobody else can move a session on.
    func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle?

    /// Asks that a session change by itself here, and on no other replica: one of those who ask holds its lease, and another
    /// takes over within seconds when that one releases it, or dies.
    ///
    /// Two may hold it for a moment, where one was cut off and does not know yet: their commits still conflict.
    ///
    /// - Parameter isHeld: called from any thread, perhaps before this returns: with true when the lease is held here, with
    ///   false when it is no more. It must not block.
    /// - Returns: what asks for it, or holds it, until it is released.
    func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle

    /// Takes one commit into the line of those to be stored, and returns at once.
    ///
    /// - Parameter done: called once, from any thread, perhaps before this returns: with nil when the commit is stored;
    ///   with ``StoreFailure/conflict(_:)`` where the session does not stand at the commit's base, or exists though the
    ///   base says that it must not; with ``StoreFailure/gone`` where it does not exist, though it must. It must not block.
    func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void)

    /// Forgets a session and its outcomes; one that is not there is no error.
    ///
    /// The outcomes are found no more at once, also by a session that is created under the same name. To delete them may
    /// take longer, in batches that no commit feels, at most until their end.
    ///
    /// - Parameter version: where it has to stand, so that nothing is lost that the caller does not know of.
    /// - Throws: ``StoreFailure/conflict(_:)`` where it stands elsewhere.
    func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure)

    /// Puts off the end of sessions that are in use; those that are not there are no error.
    func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure)

    /// Forgets sessions whose end has come and their outcomes, at most so many, so that no commit waits long.
    ///
    /// Whether it has come is for the store to say: another replica may have put it off.
    ///
    /// - Returns: which were forgotten; less than the limit when none is left.
    func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID]

    /// Forgets outcomes whose end has come, at most so many, so that no commit waits long.
    ///
    /// - Returns: how many were forgotten; less than the limit when none is left.
    func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int

    /// Sessions in the order in which they were created, the public one among them, and those whose end has come and that were
    /// not forgotten yet; read beside commits, which do not wait for it.
    ///
    /// - Parameters:
    ///   - place: those that stand behind it; 0 for the first.
    ///   - limit: how many at most.
    /// - Returns: less than the limit when there are no more.
    func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary]

    /// How many sessions there are, the public one among them.
    func count() async throws(StoreFailure) -> Int

    /// A mark of what the store holds: another whenever it may have been put back to an older copy of itself, the same for
    /// all who have it open.
    ///
    /// A file that is opened may be another than the one that was closed. Nothing else tells a store that was put back and in
    /// which others have moved the session on since: its version is a later one then, as if nothing was lost. A commit that was
    /// submitted before is not to be stored afterwards.
    var incarnation: UInt64 { get }

    /// The time of day by which its sessions and outcomes end, where all who share it go by one clock; nil where that of each
    /// process is as good.
    ///
    /// By the clock of one replica that is wrong sessions of all would end, and keys be forgotten.
    var timeOfDay: TimeOfDay? { get }

    /// Whether others may move its sessions on, so that what was read is looked at again before each answer.
    ///
    /// A database for replicas is, and a memory store in tests; a file is not. A host's may be.
    var isShared: Bool { get }

    /// Whether the store can take commits now.
    func isReady() async -> Bool

    /// Finishes what was submitted and lets go of files and connections; nothing is asked of the store afterwards.
    func close() async
}

/// How a session stands for one who has known it.
public enum LoadedSession: Sendable {
    /// As it was known.
    case asKnown
    /// Elsewhere.
    case moved(SessionRecord)
    /// It is no more.
    case gone
}

/// Keeps a watch of a session (``SessionStore/watch(_:_:)``), or its lease (``SessionStore/lease(_:_:)``), until it is
/// released.
public final class StoreHandle: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: called once, when nobody keeps it any more.
    public init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

// For a store that has nobody beside it, or no quicker way.
extension SessionStore {
    /// Reads the whole of it, and compares.
    public func load(_ id: SessionID, unless known: CommitVersion) async throws(StoreFailure) -> LoadedSession {
        guard let record = try await load(id) else { return .gone }
        return record.head.version == known ? .asKnown : .moved(record)
    }

    /// Reads one after the other.
    public func versions(of ids: [SessionID]) async throws(StoreFailure) -> [SessionID: CommitVersion] {
        var versions: [SessionID: CommitVersion] = [:]
        for id in ids { versions[id] = try await load(id)?.head.version }
        return versions
    }

    /// That of the process is as good.
    public var timeOfDay: TimeOfDay? { nil }

    /// Nobody else can move a session on.
    public func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? { nil }

    /// Held at once: there is nobody else.
    public func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        isHeld(true)
        return StoreHandle {}
    }

    /// Stores one commit and waits until it is stored.
    ///
    /// - Throws: what ``submit(_:then:)`` says.
    public func commit(_ commit: Commit) async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            submit(commit) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }
}

/// Why a store did not do what was asked.
public enum StoreFailure: Error, Equatable, Sendable {
    /// The session stands at another version, named here; nothing was stored. Load it and try again.
    case conflict(CommitVersion)
    /// There is no such session, or its time is over; nothing was stored.
    case gone
    /// The store does not answer, and nothing was stored for certain. Try again later.
    case notSent
    /// The store does not answer; it may or may not have stored what it was given. Load the session to know.
    case unknown
    /// What is stored of the session is not what a store wrote; nothing was stored. With what it is, in words for the log.
    case unreadable(String)
}
