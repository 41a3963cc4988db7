import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session on a server: a value that holds the token, and no state.
public struct RemoteSession: Sendable {
    let client: BinderyClient
    /// The name of the session, which is no secret; nil if this client did not begin it.
    public let id: String?
    /// The secret that opens the session; nil for the public session.
    public let token: String?

    /// A view model of the session or of a named entity, by the declaration that the server hosts.
    ///
    /// If the caller may not see an output of a named entity, ``RemoteViewModel/output(_:as:)`` throws for it.
    /// - Parameter entity: the path of a named entity, as `orders/7f3c`; nil for the session's own view model.
    /// - Throws: ``RemoteProblem``, such as 401 after the end of the session, or 404 for an entity that does not exist;
    ///   ``RemoteFailure``, also if the server shows other outputs than the declaration; `CancellationError`.
    public func viewModel<Root: Hostable>(
        _ type: Root.Type, at entity: String? = nil
    ) async throws -> RemoteViewModel<Root> {
        let answer = try await client.answer(to: request("GET", "/" + (entity ?? type.interface.name)))
        return try RemoteViewModel(self, entity, answer)
    }

    /// An action by its name alone, for example to make a named entity.
    ///
    /// - Parameter path: the name of a view model, or the path of a named entity, as `orders/7f3c`.
    public func action(_ name: String, at path: String) -> RemoteAction {
        RemoteAction { json, key in _ = try await act(name, of: path, json: json, key: key) }
    }

    /// The changes of the session or of a named entity; each reader has its own connection.
    ///
    /// - Parameters:
    ///   - entity: the path of a named entity, as `orders/7f3c`; nil for the session.
    ///   - topics: names of view models or facets (`profile/card`); none for all.
    ///   - cursor: the position to begin after; nil to begin with a snapshot.
    ///   - onConnection: called in the reader's task when the connection is there, and when it is lost.
    public func changes(
        of entity: String? = nil, topics: [String] = [], since cursor: RemoteCursor? = nil,
        onConnection: @escaping @Sendable (RemoteConnection) -> Void = { _ in }
    ) -> RemoteChanges {
        RemoteChanges(session: self, entity: entity, topics: topics, cursor: cursor, onConnection: onConnection)
    }

    /// Changes the language of the session (`PATCH /session`).
    ///
    /// - Throws: ``RemoteProblem``, such as 403 for the public session; ``RemoteFailure``, `CancellationError`.
    public func changeLanguage(to language: Language) async throws {
        var request = request("PATCH", "/session")
        request.set(json: Array(#"{"language":"\#(language)"}"#.utf8))
        _ = try await client.answer(to: request)
    }

    /// Ends the session (`DELETE /session`); its token becomes invalid.
    ///
    /// - Throws: ``RemoteProblem``, such as 403 for the public session; ``RemoteFailure``, `CancellationError`.
    public func end() async throws { _ = try await client.answer(to: request("DELETE", "/session")) }

    /// The state of the session (`GET /session`), or of a named entity.
    ///
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``, `CancellationError`.
    package func show(_ entity: String? = nil) async throws -> RemoteAnswer {
        try await client.answer(to: request("GET", "/" + (entity ?? "session")))
    }

    func request(_ method: String, _ path: String) -> URLRequest {
        var request = client.request(method, path)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.setValue(id, forHTTPHeaderField: "Bindery-Session")
        return request
    }
}
