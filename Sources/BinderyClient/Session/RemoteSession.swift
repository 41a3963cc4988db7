import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session on a server: a value that holds the token, and no state.
public struct RemoteSession: Sendable {
    let client: BinderyClient
    /// The name of the session, which opens nothing; nil where the session was not begun here.
    public let id: String?
    /// The secret that opens the session; nil for the public session.
    public let token: String?

    /// A view model of the session, by the declaration that the server hosts.
    ///
    /// - Throws: ``RemoteProblem``, such as 401 after the end of the session; ``RemoteFailure``, also where the server
    ///   shows other outputs than the declaration; `CancellationError`.
    public func viewModel<Root: Hostable>(_ type: Root.Type) async throws -> RemoteViewModel<Root> {
        try RemoteViewModel(self, try await client.answer(to: request("GET", "/" + type.interface.name)))
    }

    /// The changes of the session; each reader has a connection of its own.
    ///
    /// - Parameters:
    ///   - topics: names of view models or facets (`profile/card`); none for all.
    ///   - cursor: the position to begin after; nil to begin with a snapshot.
    ///   - onConnection: is told when the connection is there, and when it is lost; in the reader's task.
    public func changes(
        topics: [String] = [], since cursor: RemoteCursor? = nil,
        onConnection: @escaping @Sendable (RemoteConnection) -> Void = { _ in }
    ) -> RemoteChanges {
        RemoteChanges(session: self, topics: topics, cursor: cursor, onConnection: onConnection)
    }

    /// Changes the language of the session (`PATCH /session`).
    ///
    /// - Throws: ``RemoteProblem``, such as 403 for the public session; ``RemoteFailure``, `CancellationError`.
    public func changeLanguage(to language: Language) async throws {
        var request = request("PATCH", "/session")
        request.setValue("application/merge-patch+json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"language":"\#(language)"}"#.utf8)
        _ = try await client.answer(to: request)
    }

    /// Ends the session (`DELETE /session`); its token opens nothing any more.
    ///
    /// - Throws: ``RemoteProblem``, such as 403 for the public session; ``RemoteFailure``, `CancellationError`.
    public func end() async throws { _ = try await client.answer(to: request("DELETE", "/session")) }

    /// The state of the session (`GET /session`).
    ///
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``, `CancellationError`.
    package func show() async throws -> RemoteAnswer { try await client.answer(to: request("GET", "/session")) }

    func request(_ method: String, _ path: String) -> URLRequest {
        var request = client.request(method, path)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.setValue(id, forHTTPHeaderField: "Bindery-Session")
        return request
    }
}
