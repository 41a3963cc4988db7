import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite("Bounds that are reached, in the log")
struct BoundReachedTests {
    @Test(
        "where nothing can be accepted, open files are blamed for what they are to blame for",
        arguments: [
            (EMFILE, "open-files"), (ENFILE, "open-files"), (ENOBUFS, "memory"), (ENOMEM, "memory"),
            (EPROTO, "accept"), (EPERM, "accept"),
        ])
    func accept(error: CInt, bound: String) { #expect(boundReached(byAcceptError: error) == bound) }

    @Test("a server that stops tells how many connections it refused")
    func stop() async throws {
        let log = RecordingLog()
        var limits = ServerLimits.forTests
        limits.connections = 1
        let server = Server(routes: [Route(.get, "/") { _ in .text("") }], limits: limits, log: log)
        let port = try server.start()
        let refused = try await onThread {
            // One, and those that are kept for this machine.
            let served = try (0..<9).map { _ in try RawClient(to: port) }
            for client in served {
                try client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
                _ = try client.readResponse()
            }
            return try withExtendedLifetime(served) { try (0..<5).map { _ in try RawClient(to: port).readResponse() } }
        }
        #expect(refused.allSatisfy { $0.status == 503 })
        await server.stop(within: .zero)
        let counts = log.events.map { if case .number(let count) = $0["count"] { count } else { 0 } }
        #expect(counts.reduce(0, +) == 5)
        #expect(log.events.allSatisfy { $0["bound"] == "max-connections" && $0["limit"] == 1 })
    }
}
