/// Where sessions are kept.
///
/// The contract, which one suite of tests runs over every store:
/// - ``commit(_:)`` compares and sets: it stores the step only where the session stands at `base`, and then the
///   whole of it. When it returns, ``load(_:)`` gives the new state, from every replica that shares the store.
/// - A commit that threw may or may not have been stored, except for ``StoreFailure/conflict``, which says that it
///   was not. The session reads again before it goes on.
/// - Any method may be called from any thread at any time. Commits of one session come one after the other from one
///   replica; from several replicas they may meet.
/// - A method does not heed the cancellation of its task: what was begun is finished.
public protocol SessionStore: Sendable {
    /// The session as it stands, or nil where there is none of that name.
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord?

    /// Stores one step.
    ///
    /// - Throws: ``StoreFailure/conflict`` where the session does not stand at the commit's base, or exists though
    ///   the base says that it must not, or is gone; ``StoreFailure/unavailable`` where nothing can be said.
    func commit(_ commit: Commit) async throws(StoreFailure)

    /// Forgets a session; one that is not there is no error.
    func delete(_ id: SessionID) async throws(StoreFailure)

    /// Whether the store can take commits now.
    func isReady() async -> Bool
}
