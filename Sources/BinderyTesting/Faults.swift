import BinderyClient
import StandIns

/// What can go wrong with a ``TestServer``, when the test says so.
///
/// ```swift
/// server.faults.dropNextAnswer()
/// await #expect(throws: RemoteFailure.self) { try await machine.act("take", key: "a") }
/// #expect(try await machine.act("take", key: "a").waiting == 1)  // was done, and is done once
/// ```
public struct Faults: Sendable {
    let store: ScriptedStore
    let client: BinderyClient

    /// Has the next action that is asked for by the server's ``TestServer/client`` done and stored, and its answer lost on the way.
    public func dropNextAnswer() { client.dropNextAnswer() }

    /// Has the store refuse the next commit.
    ///
    /// - Parameter isStored: whether the commit is stored all the same, and only the store's answer lost: the session is read
    ///   again, then.
    public func failNextCommit(isStored: Bool = false) { store.next(.commit, isStored ? .loseTheAnswer : .refuse) }

    /// Whether the store cannot be reached: whatever is asked of it fails, and what is in memory is shown.
    public var isStoreAway: Bool {
        get { store.isAway }
        nonmutating set { store.isAway = newValue }
    }
}
