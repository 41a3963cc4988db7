/// Where sessions are kept.
///
/// The contract, which one suite of tests runs over every store:
/// - ``submit(_:then:)`` compares and sets: it stores the step only where the session stands at the commit's base, and
///   then the whole of it. When it says that it did, ``load(_:)`` gives the new state, from every replica that shares
///   the store, and after a crash too, as far as the store promises to survive one.
/// - Commits of one session are taken in the order in which they were submitted, without waiting for one another: a
///   commit may stand on one that is still under way. Where that one fails, so does every later one that stands on it.
/// - A commit that failed was not stored where the failure is ``StoreFailure/conflict``; where it is
///   ``StoreFailure/unavailable``, nobody knows. The session reads again before it goes on.
/// - Any method may be called from any thread at any time. None heeds the cancellation of its task: what was begun is
///   finished.
public protocol SessionStore: Sendable {
    /// The session as it stands, or nil where there is none of that name or its time is over.
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord?

    /// Takes one step into the line of those to be stored, and returns at once.
    ///
    /// - Parameter done: called once, from any thread, perhaps before this returns: with nil when the step is stored;
    ///   with ``StoreFailure/conflict`` where the session does not stand at the commit's base, or exists though the base
    ///   says that it must not, or is gone; with ``StoreFailure/unavailable`` where nothing can be said. It must not
    ///   block.
    func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void)

    /// Forgets a session; one that is not there is no error.
    func delete(_ id: SessionID) async throws(StoreFailure)

    /// Puts off the end of sessions that are in use; those that are not there are no error.
    ///
    /// Never brings an end forward: another replica may have put it off further. One that never ends goes on doing so.
    func touch(_ ends: [SessionID: SessionEnd]) async throws(StoreFailure)

    /// Forgets sessions whose end has come, at most so many, so that no commit waits long.
    ///
    /// - Returns: how many were forgotten; less than the limit when none is left.
    func deleteEnded(by now: SessionEnd, limit: Int) async throws(StoreFailure) -> Int

    /// How many sessions there are, the public one among them.
    func count() async throws(StoreFailure) -> Int

    /// Whether others than this process may move its sessions on, so that a cursor we do not know may be one of theirs.
    var isShared: Bool { get }

    /// Whether the store can take commits now.
    func isReady() async -> Bool

    /// Finishes what was submitted and lets go of files and connections; nothing is asked of the store afterwards.
    func close() async
}

extension SessionStore {
    /// Stores one step and waits until it is stored.
    ///
    /// - Throws: what ``submit(_:then:)`` says.
    public func commit(_ commit: Commit) async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            submit(commit) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }
}
