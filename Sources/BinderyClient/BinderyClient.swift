import Foundation
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of a Bindery server: sessions, their view models, and what changes.
///
/// ```swift
/// let client = BinderyClient(url)
/// let session = try await client.session()
/// let machine = session.viewModel(TicketMachine.self)
/// try await machine.act("take")
/// for try await display in machine.values(of: \.display) { print(display) }
/// ```
/// Answers are typed by the view model's own declaration, which the client and its server have in common. It sends no
/// cookies and follows no redirects. Safe from any thread; its connections are closed when the client and all that was
/// made from it are gone.
public final class BinderyClient: Sendable {
    /// How a client waits, and how often it tries.
    public struct Options: Sendable {
        /// How long an answer may take, a poll's beyond its wait; a ``RemoteFailure`` after that.
        ///
        /// Default 60 s.
        public var answerTime: Duration = .seconds(60)
        /// How long an event stream may be without a byte before the client takes the line for dead and opens another.
        ///
        /// Default 35 s; the server sends a ping every 15.
        public var silence: Duration = .seconds(35)
        /// How long an action is asked for again, under its `Idempotency-Key`, where its answer was lost or the server could
        /// not take it, once where that took longer; zero for not at all.
        ///
        /// Default 30 s.
        public var actionPatience: Duration = .seconds(30)
        /// How long ``RemoteChanges`` look for a server that does not answer before they throw; nil, the default, for ever.
        public var changesPatience: Duration?
        /// How long to wait before the second try; nil, the default, for what the server says, else a second.
        ///
        /// Where it is set, nothing that the server says of when to come back is heeded, which is for tests.
        public var firstPause: Duration?
        /// How long to wait at most between two tries: each pause is twice the one before, less up to a half at random.
        ///
        /// Default 10 s.
        public var longestPause: Duration = .seconds(10)
        /// The bytes that one answer, or one event, may have.
        ///
        /// Default 16 MiB.
        public var largestAnswer = 16 << 20
        /// Is told before an action is asked for again: after how long, and why.
        package var onRetry: @Sendable (Duration, any Error) -> Void = { _, _ in }
        /// What all of these are measured by.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The options used where nothing else is said.
        public init() {}
    }

    /// Where the server is, without a slash at the end.
    public let url: URL
    let options: Options
    let transport: Transport
    let resumptions = Resumptions()

    /// Makes a client; nothing is asked yet.
    ///
    /// - Parameter url: the server's: `https://bindery.example.org`, perhaps with a path where a proxy serves it.
    public init(_ url: URL, options: Options = Options()) {
        self.url = url
        self.options = options
        transport = Transport(
            clock: options.clock, largestAnswer: options.largestAnswer,
            // Served without a session, and not logged.
            opening: Self.request("HEAD", "/livez", at: url))
    }

    /// Begins a session, `POST /sessions`.
    ///
    /// - Parameter language: in which its view models speak; nil for what Foundation asks for by itself, which on Linux is English.
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``; `CancellationError`.
    public func session(language: Language? = nil) async throws -> RemoteSession {
        var request = request("POST", "/sessions")
        if let language { request.setValue(language.rawValue, forHTTPHeaderField: "Accept-Language") }
        let begun = try await answer(to: request).decode(Begun.self)
        return RemoteSession(client: self, id: begun.id, token: begun.token)
    }

    /// A session that was begun before, by its token; nothing is asked yet.
    public func session(token: String) -> RemoteSession { RemoteSession(client: self, id: nil, token: token) }

    /// The session that all share who bring no token.
    public var publicSession: RemoteSession { RemoteSession(client: self, id: nil, token: nil) }

    /// Has what waits for changes ask anew at once, from its cursor: for apps that come back to the foreground.
    ///
    /// What was open while the app was suspended may hang for ever, and a pause need not be waited for. Actions are left as they are.
    public func resume() {
        transport.closeIdle()
        resumptions.resume()
    }

    /// Has the answer to the next action lost, after the action was done.
    package func dropNextAnswer() { transport.dropNextAnswer() }

    /// Closes the connections on which nothing is under way.
    package func closeIdleConnections() { transport.closeIdle() }

    private struct Begun: Decodable {
        let id: String
        let token: String
    }
}

extension BinderyClient {
    /// A request without credentials.
    func request(_ method: String, _ path: String) -> URLRequest { Self.request(method, path, at: url) }

    private static func request(_ method: String, _ path: String, at url: URL) -> URLRequest {
        // A path of names and cursors, which need no escaping.
        var request = URLRequest(url: URL(string: url.absoluteString + path) ?? url)
        request.httpMethod = method
        return request
    }

    /// Asks once.
    ///
    /// - Parameter wait: how long the server may take beside.
    /// - Throws: ``RemoteProblem`` for an answer of 400 and above; ``RemoteFailure``; `CancellationError`.
    func answer(to request: URLRequest, waiting wait: Duration = .zero) async throws -> RemoteAnswer {
        let line: Transport.Line = wait > .zero ? .waits : .requests
        let answer = try await transport.answer(to: request, on: line, within: options.answerTime + wait)
        if let problem = RemoteProblem(answer) { throw problem }
        return answer
    }
}
