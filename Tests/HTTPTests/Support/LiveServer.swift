import HTTP
import TestSupport
import Testing

/// A server on a free port.
struct LiveServer: Sendable {
    let server: Server
    let port: UInt16
    let log: RecordingLog

    func connect() throws -> RawClient { try RawClient(to: port) }

    /// One request on a connection of its own.
    func get(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await onThread {
            let client = try connect()
            try client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n")
            return try client.readResponse()
        }
    }

    /// Whatever it is told to say, and the answer.
    func exchange(_ text: String, hasBody: Bool = true) async throws -> ReceivedResponse {
        try await onThread {
            let client = try connect()
            try client.send(text)
            return try client.readResponse(hasBody: hasBody)
        }
    }
}

/// A few tests at a time have a server, and one has a crowd of clients: all at once, they come near the number of descriptors
/// that a process may have.
private let turns = (servers: Turns(16), crowds: Turns(1))

/// Runs a test against a server with these routes, and stops it.
///
/// - Parameter crowd: whether the test has hundreds of clients.
func withServer(
    _ routes: [Route], limits: ServerLimits = .forTests, crowd: Bool = false,
    _ test: (LiveServer) async throws -> Void
) async throws {
    try await (crowd ? turns.crowds : turns.servers).take {
        try await withStartedServer(routes, limits: limits, test)
    }
}

private func withStartedServer(
    _ routes: [Route], limits: ServerLimits, _ test: (LiveServer) async throws -> Void
) async throws {
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
    #expect(gauges.lingering == 0)
}

extension ServerLimits {
    /// Two event loops, whatever the machine; and no deadlines, since under load a test may be slower than any client.
    static var forTests: ServerLimits {
        var limits = ServerLimits()
        limits.threads = 2
        limits.idleTimeout = .seconds(600)
        limits.headTimeout = .seconds(600)
        limits.grace = .seconds(600)
        return limits
    }
}

extension Response {
    /// An answer of plain text in UTF-8.
    static func text(_ text: String) -> Response {
        Response(headers: [Header(.contentType, "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }
}

extension Route {
    /// Answers GET with a text.
    static func text(_ template: String, _ text: String) -> Route {
        Route(.get, template) { _ in .text(text) }
    }
}
