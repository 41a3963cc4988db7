import Events
import Foundation
import HTTP
import TestSupport
import Testing

/// A server on a free port.
struct LiveServer: Sendable {
    let server: Server
    let port: UInt16
    let log: RecordingLog

    func connect() throws -> RawClient { try RawClient(to: port) }

    /// Runs blocking code with a connection of its own.
    func talk<Value: Sendable>(_ body: @escaping @Sendable (RawClient) throws -> Value) async throws -> Value {
        try await onThread { try body(connect()) }
    }

    /// One request on a connection of its own.
    func get(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await exchange("GET \(path) HTTP/1.1\r\nHost: test\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n")
    }

    /// Sends a text on a connection of its own and reads one answer.
    func exchange(_ text: String, hasBody: Bool = true) async throws -> ReceivedResponse {
        try await talk { client in
            try client.send(text)
            return try client.readResponse(hasBody: hasBody)
        }
    }

    /// Sends a text on a new connection, which stays open.
    ///
    /// - Parameter receiveBuffer: a small one for a client that does not read.
    func begin(_ text: String, receiveBuffer: Int32? = nil) async throws -> RawClient {
        try await begin(text, by: 1, receiveBuffer: receiveBuffer)[0]
    }

    /// Sends a text on each of some new connections, which stay open.
    func begin(_ text: String, by count: Int, receiveBuffer: Int32? = nil) async throws -> [RawClient] {
        try await onThread {
            try (0..<count).map { _ in
                let client = try RawClient(to: port, receiveBuffer: receiveBuffer)
                try client.send(text)
                return client
            }
        }
    }

    /// Waits until no connection is left.
    func nothingIsLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually("nothing is left", sourceLocation: sourceLocation) { server.gauges.connections == 0 }
    }
}

/// Only a few tests have a server at a time, and one has a crowd of clients: a process may have so many descriptors.
private let turns = (servers: Turns(16), crowds: Turns(1))

/// Runs a test against a server with these routes, and stops it.
///
/// - Parameter crowd: whether the test has hundreds of clients.
func withServer(
    _ routes: [Route], limits: ServerLimits = .forTests, crowd: Bool = false,
    _ test: (LiveServer) async throws -> Void
) async throws {
    try await (crowd ? turns.crowds : turns.servers).take {
        let log = RecordingLog()
        let server = Server(routes: routes, limits: limits, log: log)
        let port = try server.start()
        do {
            try await test(LiveServer(server: server, port: port, log: log))
        } catch {
            await server.stop(within: .zero)
            throw error
        }
        await server.stop(within: .zero)
        let gauges = server.gauges
        #expect(gauges.connections == 0)
        #expect(gauges.running == 0)
        #expect(gauges.parked == 0)
    }
}

/// Waits until something that has no event of its own holds; fails after four minutes.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () async throws -> Bool
) async rethrows {
    if try await !TestSupport.eventually(holds) { Issue.record(what, sourceLocation: sourceLocation) }
}

extension ServerLimits {
    /// Two event loops and no deadlines: under load a test may be slower than any client.
    static var forTests: ServerLimits {
        var limits = ServerLimits()
        limits.threads = 2
        limits.idleTimeout = .seconds(600)
        limits.headTimeout = .seconds(600)
        limits.grace = .seconds(600)
        return limits
    }

    /// The same with other bounds.
    static func forTests(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = forTests
        change(&limits)
        return limits
    }
}

extension Response {
    /// An answer of plain text in UTF-8.
    static func text(_ text: String) -> Response {
        Response(headers: [Header("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }

    /// An answer that is larger than what the kernel takes for a client that does not read.
    static let large = Response(body: .shared(SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))))
}

extension Route {
    /// Makes a route whose handler returns its answer.
    convenience init(
        _ method: HTTP.Method, _ template: String, answer: @escaping @Sendable (Request) throws -> Response
    ) {
        self.init(method, template) { request, responder in responder.send(try answer(request)) }
    }

    /// Answers GET with a text.
    static func text(_ template: String, _ text: String) -> Route {
        Route(.get, template, answer: { _ in .text(text) })
    }

    /// Answers POST with the body.
    static let echo = Route(.post, "/echo", answer: { Response(body: .bytes($0.body)) })
}
