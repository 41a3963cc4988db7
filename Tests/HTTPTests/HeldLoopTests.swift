import TestSupport
import Testing

@testable import HTTP

/// Protects new clients from a held loop, and names its request.
@Suite("An event loop that a handler holds", .timeLimit(.minutes(5)))
struct HeldLoopTests {
    private let barrier = Barrier()

    private var routes: [Route] {
        [.text("/quick", ""), .echo]
            + ["/hold/{what}", "/other/{what}"].map { path in
                Route(.get, path) { [barrier] _ in
                    barrier.pass()
                    return .text("")
                }
            }
    }

    private func limits(loops: Int) -> ServerLimits {
        .forTests { $0.threads = loops }
    }

    /// Asks for what holds the loop, and returns when the log was told of it.
    private func hold(_ live: LiveServer, by path: String = "/hold/secret") async throws -> RawClient {
        let told = live.log.events.count
        let client = try await live.begin("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
        try await barrier.arrivals()
        await eventually("the log is told") { live.log.events.count > told }
        return client
    }

    @Test("new connections come to another loop, and the server shows the one that is held")
    func passedOver() async throws {
        try await withServer(routes, limits: limits(loops: 2)) { live in
            defer { barrier.open() }
            let holder = try await hold(live)
            // Each of them stays, so that the loop that is held has fewest connections.
            let others = try await onThread {
                try (0..<8).map { _ in
                    let client = try live.connect()
                    #expect(try client.get("/quick").status == 200)
                    return client
                }
            }
            let held = try #require(live.log.events.first)
            #expect(held.kind == .loopHeld)
            #expect(held["method"] == "GET")
            #expect(held["route"] == "/hold/{what}")
            #expect(live.server.gauges.heldFor > .seconds(1))
            barrier.open()
            #expect(try await onThread { try holder.readResponse().status } == 200)
            withExtendedLifetime(others) {}
        }
    }

    @Test("the log is told once each time that it is held")
    func again() async throws {
        try await withServer(routes, limits: limits(loops: 1)) { live in
            defer { barrier.open() }
            for (count, path) in zip(1..., ["/hold/secret", "/other/secret"]) {
                let holder = try await hold(live, by: path)
                barrier.letOneThrough()
                #expect(try await onThread { try holder.readResponse().status } == 200)
                await eventually("it is free") { live.server.gauges.heldFor == .zero }
                #expect(live.log.events.count == count)
            }
            #expect(live.log.events.map(\.kind) == [.loopHeld, .loopHeld])
            #expect(live.log.events.map { $0["route"] } == ["/hold/{what}", "/other/{what}"])
        }
    }
}
