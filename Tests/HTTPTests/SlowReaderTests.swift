import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Sends one event and keeps the stream open.
private final class Single: EventSource {
    let stream: EventStream
    let event: SharedBody

    init(_ stream: EventStream, _ event: SharedBody) {
        self.stream = stream
        self.event = event
    }

    func streamIsReady() { _ = stream.send(event) }
    func streamIsOver() {}
}

/// How a client asks for more than its window, which the server's kernel takes at once.
enum Asking: String, CaseIterable {
    case keepAlive = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    case close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    case halfClosed = "GET / HTTP/1.1\r\nHost: b\r\n\r\n"
    case thenPoll = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /poll HTTP/1.1\r\nHost: a\r\n\r\n"
    case stream = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"
}

@Suite("Clients that take what was sent slowly, or not at all", .timeLimit(.minutes(5)))
struct SlowReaderTests {
    private func withClient(
        _ asking: Asking, grace: Duration, _ test: (LiveServer, RawClient) async throws -> Void
    ) async throws {
        let body = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 18_000))
        let routes = [
            Route(.get, "/") { _ in Response(body: .shared(body)) },
            Route(.get, "/events") { _ in .eventStream { Single($0, body) } },
            // Never answered.
            Route(.get, "/poll") { _ in Response(body: .later { _ in { _ in } }) },
        ]
        var limits = ServerLimits.forTests
        limits.grace = grace
        try await withServer(routes, limits: limits) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 2048)
                try client.send(asking.rawValue)
                if asking == .halfClosed { client.halfClose() }
                _ = try client.readHead()
                return client
            }
            try await test(live, client)
            withExtendedLifetime(client) {}
        }
    }

    /// For longer than six times the grace, for which the kernel would probe a window that opens for a part of what waits.
    ///
    /// A client that a busy machine keeps from reading is no steady one: then once more. A sanitizer keeps it busy for long.
    @Test(
        "who takes it steadily gets all of it, however small the window",
        .enabled(if: getenv("TSAN_OPTIONS") == nil && getenv("ASAN_OPTIONS") == nil), arguments: Asking.allCases)
    func steady(asking: Asking) async throws {
        for attempt in 1...5 {
            do {
                return try await withClient(asking, grace: .seconds(1)) { live, client in
                    try await onThread { _ = try client.read(count: 18_000, perSecond: 2250) }
                    client.reset()
                    await eventually("nothing is left") {
                        live.server.gauges.connections + live.server.gauges.lingering == 0
                    }
                    // The last word on an exchange comes at the end of its loop's turn.
                    await eventually("it is told") { !live.log.entries.isEmpty }
                    #expect(live.log.entries.first?.ending == (asking == .stream ? .clientGone : .sent))
                }
            } catch let error as RawClient.Failure {
                guard attempt < 5 else { throw error }
            }
        }
    }

    @Test("who takes nothing is ended, whatever the connection is doing", arguments: Asking.allCases)
    func stalled(asking: Asking) async throws {
        try await withClient(asking, grace: .milliseconds(200)) { live, client in
            await eventually("nothing is left") { live.server.gauges.connections + live.server.gauges.lingering == 0 }
            // What had not reached it is dropped.
            await #expect(throws: RawClient.Failure.self) { try await onThread { _ = try client.read(count: 18_000) } }
            if asking == .stream {
                await eventually("it is told") { !live.log.entries.isEmpty }
                #expect(live.log.entries.map(\.ending) == [.timeout])
            }
        }
    }
}
