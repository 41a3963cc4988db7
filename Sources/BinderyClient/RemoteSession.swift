import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session on a server.
///
/// A value that knows its token and its client, and keeps no state of its own. Safe from any thread.
public struct RemoteSession: Sendable {
    let client: BinderyClient
    /// Names the session and opens nothing; nil where it was not begun here.
    public let id: String?
    /// Opens the session, whoever has it: a secret.
    ///
    /// Nil for the public one.
    public let token: String?

    /// One of its view models.
    public func viewModel<Owner: Presented>(_ type: Owner.Type) -> RemoteViewModel<Owner> {
        RemoteViewModel(session: self)
    }

    /// What the session is and shows now, `GET /session`.
    ///
    /// - Throws: ``RemoteProblem``, such as 401 after its end; ``RemoteFailure``; `CancellationError`.
    public func show() async throws -> ShownSession {
        try await shown().session
    }

    /// The same, and as the server says it.
    package func shown() async throws -> (session: ShownSession, answer: RemoteAnswer) {
        let answer = try await client.answer(to: request("GET", "/session"))
        return (try answer.decode(ShownSession.self), answer)
    }

    /// Where the session stands now.
    ///
    /// - Throws: as ``show()``.
    public func cursor() async throws -> RemoteCursor { try await show().cursor }

    /// Has the session's view models speak another language, `PATCH /session`: what they show otherwise in it is told as changes.
    ///
    /// - Throws: as ``show()``; ``RemoteProblem`` 422 for one that the server does not speak, 403 in the public session.
    public func changeLanguage(to language: Language) async throws {
        var request = request("PATCH", "/session")
        request.setValue("application/merge-patch+json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(try JSON.encode(["language": language.rawValue]))
        _ = try await client.answer(to: request).decode(ShownSession.self)
    }

    /// Ends the session: whoever waits for its changes is told, and its token opens nothing any more.
    ///
    /// - Throws: as ``show()``.
    public func end() async throws {
        let answer = try await client.answer(to: request("DELETE", "/session"))
        guard answer.status == 204 else { throw answer.foreign() }
    }

    /// Asks once what has changed, and waits for it.
    ///
    /// - Parameters:
    ///   - cursor: after what; nil for all there is, as a snapshot.
    ///   - wait: how long the server is to wait where nothing has changed, in whole seconds; zero asks without waiting.
    ///   - topics: names of view models or facets (`tickets/board`); none for all.
    /// - Returns: an update of the kind ``RemoteUpdate/Kind/idle`` where nothing changed meanwhile.
    /// - Throws: as ``show()``.
    public func poll(
        since cursor: RemoteCursor? = nil, wait: Duration = .seconds(25), topics: [String] = []
    ) async throws -> RemoteUpdate {
        let seconds = wait.components.seconds
        let query = Self.query(topics, [cursor.map { "since=\($0)" }, "wait=\(seconds)"])
        return try await client.answer(to: request("GET", "/changes" + query), waiting: wait).decode(RemoteUpdate.self)
    }

    /// What changes, for as long as somebody asks, over lost connections and restarts.
    ///
    /// - Parameters:
    ///   - topics: names of view models or facets (`tickets/board`); none for all.
    ///   - cursor: after what; nil for a snapshot first.
    ///   - carrier: whether the server is to stream, or is polled; by default as the line allows.
    public func changes(
        topics: [String] = [], since cursor: RemoteCursor? = nil, over carrier: RemoteChanges.Carrier = .automatic
    ) -> RemoteChanges {
        RemoteChanges(session: self, topics: topics, cursor: cursor, carrier: carrier)
    }

    func request(_ method: String, _ path: String) -> URLRequest {
        var request = client.request(method, path)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    static func query(_ topics: [String], _ members: [String?] = []) -> String {
        let topics = topics.isEmpty ? nil : "topics=" + topics.joined(separator: ",")
        let members = (members + [topics]).compactMap(\.self)
        return members.isEmpty ? "" : "?" + members.joined(separator: "&")
    }
}

/// What a session is and shows at one moment.
public struct ShownSession: Sendable {
    /// Names the session and opens nothing.
    public let id: String
    /// Whether it is the one that all share who bring no token.
    public let isPublic: Bool
    /// Where it stands: asked from here, its changes are what comes after.
    public let cursor: RemoteCursor
    /// After how long without use it ends; nil where the server does not say.
    public let expiresIn: Duration?
    private let viewModels: [String: [String: RawJSON]]

    /// The names of its view models.
    public var names: [String] { viewModels.keys.sorted() }

    /// What one of its view models shows; nil where the server has none of the name.
    public func state<Owner: Presented>(of type: Owner.Type) -> RemoteState<Owner>? {
        viewModels[Owner.presentation.name.rawValue].map { RemoteState(cursor: cursor, outputs: $0) }
    }
}

extension ShownSession: Decodable {
    private enum Keys: String, CodingKey {
        case id, isPublic = "public", cursor, expiresIn, viewModels
    }

    /// Reads an answer of `GET /session`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        id = try members.decode(String.self, forKey: .id)
        isPublic = try members.decodeIfPresent(Bool.self, forKey: .isPublic) ?? false
        cursor = try members.decode(RemoteCursor.self, forKey: .cursor)
        expiresIn = try members.decodeIfPresent(Int.self, forKey: .expiresIn).map { .seconds($0) }
        viewModels = try members.decode([String: [String: RawJSON]].self, forKey: .viewModels)
    }
}
