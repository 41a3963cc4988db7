import TestSupport
import Testing

@testable import HTTP

@Suite("An event loop that a handler holds")
struct HeldLoopTests {
    private let barrier = Barrier()

    private var routes: [Route] {
        [
            Route(.get, "/quick") { _ in .text("") },
            Route(.get, "/hold/{what}") { [barrier] _ in
                barrier.pass()
                return .text("")
            },
        ]
    }

    private func limits(loops: Int) -> ServerLimits {
        var limits = ServerLimits.forTests
        limits.threads = loops
        // Nothing waits for it to pass: the log tells.
        limits.heldAfter = .milliseconds(250)
        return limits
    }

    /// Asks for what holds the loop, and returns when it does, and the log was told.
    private func hold(_ live: LiveServer) async throws -> RawClient {
        let told = live.log.heldLoops.count
        let client = try await onThread {
            let client = try live.connect()
            try client.send("GET /hold/secret HTTP/1.1\r\nHost: test\r\n\r\n")
            return client
        }
        try await barrier.arrivals()
        await eventually("the log is told") { live.log.heldLoops.count > told }
        return client
    }

    @Test("is told to the log once, by its route's template, and no new connection comes to it")
    func passedOver() async throws {
        try await withServer(routes, limits: limits(loops: 2)) { live in
            defer { barrier.open() }
            let holder = try await hold(live)
            // Each of them is kept, so that the loop that is held has least connections.
            let others = try await onThread {
                try (0..<8).map { _ in
                    let client = try live.connect()
                    #expect(try client.get("/quick").status == 200)
                    return client
                }
            }
            let held = try #require(live.log.heldLoops.first)
            #expect(held["loops"] == 2)
            #expect(held["method"] == "GET")
            #expect(held["route"] == "/hold/{what}")
            #expect([1, 2].contains(held["loop"]))
            let shown = live.server.measures.first { $0.name == "bindery_loop_held" }?.samples.first { $0.value == 1 }
            if case .number(let loop)? = held["loop"] { #expect(shown?.labels.first?.value == "\(loop)") }
            #expect(live.log.heldLoops.count == 1)
            barrier.open()
            #expect(try await onThread { try holder.readResponse().status } == 200)
            withExtendedLifetime(others) {}
        }
    }

    @Test("keeps nothing from the log of what was answered before it was held")
    func linesBefore() async throws {
        try await withServer(routes, limits: limits(loops: 1)) { live in
            defer { barrier.open() }
            let others = try await onThread {
                try (0..<20).map { _ in
                    let client = try live.connect()
                    #expect(try client.get("/quick").status == 200)
                    return client
                }
            }
            let holder = try await hold(live)
            // All come in one turn, once the loop is free. In which order is not said: one in their middle holds it again.
            try await onThread {
                for (number, client) in others.enumerated() {
                    let path = number == 10 ? "/hold/again" : "/quick"
                    try client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
                }
            }
            barrier.letOneThrough()
            try await barrier.arrivals()
            let answered = others.count(where: \.hasBytes)
            #expect(answered > 0)
            #expect(live.log.entries.count { $0.route == "/quick" } == 20 + answered)
            withExtendedLifetime(holder) {}
        }
    }

    @Test("makes nobody late: what a client has sent meanwhile is read before its time is over")
    func standstill() async throws {
        var limits = limits(loops: 1)
        (limits.headTimeout, limits.heldAfter) = (.seconds(5), .seconds(6))
        try await withServer(routes, limits: limits) { live in
            defer { barrier.open() }
            // Where others keep the cores busy, the client may be late before the loop is held: then once more.
            for _ in 0..<10 {
                let start = ContinuousClock.now
                let client = try await onThread {
                    let client = try live.connect()
                    try client.send("GET /quick HTTP/1.1\r\nHo")
                    return client
                }
                let holder = try await hold(live)
                let isInTime = ContinuousClock.now - start < .seconds(9)
                try await onThread { try client.send("st: a\r\n\r\n") }
                barrier.letOneThrough()
                _ = try await onThread { try holder.readResponse() }
                guard isInTime else { continue }
                #expect(try await onThread { try client.readResponse().status } == 200)
                return
            }
            Issue.record("The client was late each time.")
        }
    }

    @Test("is told of again when it is held again, and of its end each time, also where it is the only one")
    func again() async throws {
        try await withServer(routes, limits: limits(loops: 1)) { live in
            defer { barrier.open() }
            for count in 1...2 {
                let holder = try await hold(live)
                #expect(live.log.heldLoops.count == count)
                barrier.letOneThrough()
                #expect(try await onThread { try holder.readResponse().status } == 200)
                await eventually("its end is told") { live.log.events.count == 2 * count }
                let last = try #require(live.log.events.last)
                #expect(last.kind == .loopFree)
                #expect(last["route"] == "/hold/{what}")
            }
        }
    }
}
