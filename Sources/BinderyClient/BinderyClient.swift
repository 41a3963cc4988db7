import Foundation
import Synchronization
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of a Bindery server.
///
/// ```swift
/// let session = try await BinderyClient(url).session()
/// let counter = try await session.viewModel(Counter.self)
/// center.observe(counter.text, on: .main, bindTo: label, \.text)
/// try await counter.increment()
/// ```
/// The client sends no cookies and follows no redirects. Safe from any thread. Its connections close when the client, and
/// everything made from it, is released.
public final class BinderyClient: Sendable {
    /// The time limits of a client.
    public struct Options: Sendable {
        /// How long the client waits for a server's first answer, in whole seconds; by default 3 s.
        public var connectTime: Duration = .seconds(3)
        /// How long the client waits for the next bytes of an answer, in whole seconds; by default 25 s.
        ///
        /// Keep it longer than the server's `--action-timeout`.
        public var answerTime: Duration = .seconds(25)
        /// How long a stream may be silent; a server sends its first event at once, and a ping every 15 s.
        package var streamTime = Duration.seconds(35)
        /// How long the client repeats an action without an outcome; zero for one attempt.
        package var actionTime = Duration.seconds(30)
        /// The first and the longest pause between attempts.
        package var pauses = Duration.seconds(1)...Duration.seconds(10)
        /// Called before the client repeats an action, with the pause and the reason.
        package var onRetry: @Sendable (Duration, any Error) -> Void = { _, _ in }
        /// The clock for the pauses.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// Makes the default options.
        public init() {}
    }

    /// The most bytes of an answer, or of the unread part of an event stream.
    static let largestAnswer = 16 << 20

    /// The server's URL.
    public let url: URL
    let options: Options
    /// The connections of all requests but streams.
    private let connections = Connections()
    private let hasAnswer = Atomic(false)

    /// Makes a client; sends no request.
    ///
    /// - Parameter url: the server's URL, such as `https://bindery.example.org`; a path is kept.
    public init(_ url: URL, options: Options = Options()) { (self.url, self.options) = (url, options) }

    /// Begins a session (`POST /sessions`).
    ///
    /// - Parameters:
    ///   - credentials: the JSON body, for a server whose sessions belong to users; nil for none.
    ///   - language: the session's language; nil for the system's.
    ///   - authorization: the field `Authorization`, for such a server; nil for none.
    /// - Throws: ``RemoteProblem``, such as 401 for refused credentials; ``RemoteFailure``, `CancellationError`.
    public func session<Credentials: Encodable & Sendable>(
        _ credentials: Credentials? = String?.none, language: Language? = nil, authorization: String? = nil
    ) async throws -> RemoteSession {
        var request = request("POST", "/sessions")
        try credentials.map { request.set(json: try JSON.encode($0)) }
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        if let language { request.setValue(language.rawValue, forHTTPHeaderField: "Accept-Language") }
        let begun = try await answer(to: request).decode(Begun.self)
        return RemoteSession(client: self, id: begun.id, token: begun.token)
    }

    /// An existing session, by its token; sends no request.
    public func session(token: String) -> RemoteSession { RemoteSession(client: self, id: nil, token: token) }

    /// The session that all clients without a token share; sends no request.
    public var publicSession: RemoteSession { RemoteSession(client: self, id: nil, token: nil) }

    private struct Begun: Decodable { let id, token: String }

    /// Whether a Bindery server has answered.
    var isReached: Bool { hasAnswer.load(ordering: .relaxed) }
    func noteReached() { hasAnswer.store(true, ordering: .relaxed) }

    /// Makes a request without credentials; the path consists of names, which need no escaping.
    func request(_ method: String, _ path: String) -> URLRequest {
        let base = url.absoluteString.hasSuffix("/") ? String(url.absoluteString.dropLast()) : url.absoluteString
        var request = URLRequest(url: URL(string: base + path) ?? url)
        request.httpMethod = method
        return request
    }

    /// Sends a request once.
    ///
    /// - Throws: ``RemoteProblem`` for a status of 400 or more, ``RemoteFailure``, `CancellationError`.
    func answer(to request: URLRequest) async throws -> RemoteAnswer {
        // An answer may take long, so first test whether an unknown server answers at all.
        if !isReached { try await warm(connections) }
        let answer = try await ask(request, over: connections, within: options.answerTime)
        if answer.status >= 400 { throw RemoteProblem(answer) }
        guard answer.isOurs else { throw answer.foreign() }
        return answer
    }

    /// Sends a request whose answer is a stream, on a connection of its own.
    ///
    /// - Throws: ``RemoteFailure`` if the server does not answer within ``Options/connectTime``; `CancellationError`.
    func open(_ request: URLRequest) async throws -> Exchange {
        let connections = Connections()
        // Foundation on Linux watches a new connection for writing until its first request is over. A request that waits
        // there costs half a core (Swift 6.3), so send a short request first.
        try await warm(connections)
        return try connections.begin(request, silence: options.streamTime)
    }

    /// Sends a short request, which needs no session and is not logged.
    private func warm(_ connections: Connections) async throws {
        _ = try await ask(request("HEAD", "/livez"), over: connections, within: options.connectTime)
    }

    private func ask(
        _ request: URLRequest, over connections: Connections, within time: Duration
    ) async throws -> RemoteAnswer {
        let answer = try await connections.begin(request, silence: time).answer()
        if answer.isOurs { noteReached() }
        return answer
    }
}
