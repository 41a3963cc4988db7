import HTTP
import TestSupport
import Testing

@Suite("A full server", .timeLimit(.minutes(5)))
struct FullServerTests {
    /// How many connections from this machine are served beside the limit (`PLACES_FOR_LOOPBACK` of the shim).
    private static let keptForThisMachine = 8

    private static func held(by gate: Gate) -> Route {
        Route(.get, "/held") { _ in
            .awaiting {
                try await gate.wait()
                return .text("held")
            }
        }
    }

    /// Takes every place of a server for four; returns once all who have one are served.
    private static func fill(_ live: LiveServer, waitingAt gate: Gate) async throws -> [RawClient] {
        let served = try await onThread {
            try (0..<4 + Self.keptForThisMachine).map { _ in
                let client = try live.connect()
                try client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
        }
        await eventually("all of them are served") { gate.arrived == served.count }
        return served
    }

    @Test("beyond the limit a connection is told so, and the others go on")
    func serverFull() async throws {
        var limits = ServerLimits.forTests
        limits.connections = 4
        let gate = Gate()
        try await withServer([.text("/", "ok"), Self.held(by: gate)], limits: limits) { live in
            // None of them is idle: one that is makes room for the next.
            let served = try await Self.fill(live, waitingAt: gate)
            try await onThread {
                let surplus = try live.connect()
                let refused = try surplus.get("/")
                #expect(refused.status == 503)
                #expect(refused["Retry-After"] != nil)
                #expect(refused["Content-Type"] == "application/problem+json")
                #expect(surplus.isClosed())
                gate.open()
                for client in served { #expect(try client.readResponse().text == "held") }
                served[0].close()
            }
            await eventually("there is room again") {
                live.server.gauges.connections < 4 + Self.keptForThisMachine
            }
            #expect(try await live.get("/").status == 200)
        }
    }

    @Test("far beyond the limit everybody is told at once, also who says nothing, and those served are not disturbed")
    func farBeyondTheLimit() async throws {
        var limits = ServerLimits.forTests
        limits.connections = 4
        let gate = Gate()
        try await withServer([Self.held(by: gate)], limits: limits) { live in
            let served = try await Self.fill(live, waitingAt: gate)
            try await onThread {
                let silent = try (0..<100).map { _ in try live.connect() }
                let newcomer = try live.connect()
                #expect(try newcomer.get("/held").status == 503)
                for client in silent.suffix(20) { #expect(try client.readResponse().status == 503) }
            }
            gate.open()
            let answers = try await onThread { try served.map { try $0.readResponse().text } }
            #expect(answers.allSatisfy { $0 == "held" })
            await eventually("the refused are logged") { live.log.entries.count { $0.ending == .refused } == 101 }
        }
    }

    @Test(
        "who never asked, or asks nothing any more, makes room for who comes when the server is full, on any loop",
        arguments: ["", "\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"], [1, 3])
    func makesRoom(sent: String, threads: Int) async throws {
        var limits = ServerLimits.forTests
        limits.connections = 1
        limits.threads = threads
        try await withServer([.text("/", "ok")], limits: limits) { live in
            let idle = try await onThread {
                try (0..<1 + Self.keptForThisMachine).map { _ in
                    let client = try live.connect()
                    try client.send(sent)
                    if sent.hasPrefix("GET") { #expect(try client.readResponse().status == 200) }
                    return client
                }
            }
            while try await live.get("/").status != 200 { await Task.yield() }
            if threads == 1 { try await onThread { #expect(idle[0].isClosed()) } }
        }
    }

    @Test("a burst of newcomers drives out no more idle connections than of it are served, and one", arguments: [1, 3])
    func burst(threads: Int) async throws {
        var limits = ServerLimits.forTests
        limits.connections = 40
        limits.threads = threads
        try await withServer([.text("/", "ok")], limits: limits) { live in
            try await onThread {
                let idle = try (0..<40 + Self.keptForThisMachine).map { _ in try live.connect() }
                var (served, gone): ([RawClient], Int) = ([], 0)
                // Who has just come is not driven out: the first bursts are all refused.
                while served.isEmpty {
                    let burst = try (0..<50).map { _ in try live.connect() }
                    for client in burst {
                        // On a busy machine one that has not asked yet is no newcomer any more, and driven out itself.
                        guard let answer = try? client.get("/") else {
                            gone += 1
                            continue
                        }
                        if answer.status == 200 { served.append(client) } else { client.close() }
                    }
                }
                let drivenOut = idle.count { (try? $0.get("/"))?.status != 200 }
                #expect(drivenOut <= served.count + gone + 1)
            }
        }
    }
}
