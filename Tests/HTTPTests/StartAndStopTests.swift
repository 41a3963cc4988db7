import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Protects that a stop loses no answer and ends in time.
@Suite("Start and stop", .timeLimit(.minutes(5)))
struct StartAndStopTests {
    private let desk = Desk()

    // MARK: Start

    @Test("a port that is taken is a distinct error")
    func portInUse() async throws {
        try await withServer([]) { live in
            let error = #expect(throws: StartError.self) { try Server(routes: []).start(port: live.port) }
            #expect(error?.code == EADDRINUSE)
            #expect(error?.description.hasPrefix("port \(live.port) of 127.0.0.1 is taken;") == true)
        }
    }

    @Test("a host that is no address of this machine is refused", arguments: ["example.org", "", "1.2.3", "192.0.2.1"])
    func badAddress(host: String) {
        #expect(#expect(throws: StartError.self) { try Server(routes: []).start(host: host) }?.code == EADDRNOTAVAIL)
    }

    @Test(
        "localhost and literals of both families serve", arguments: ["localhost", "127.0.0.1", "::1", "::", "0.0.0.0"])
    func hosts(host: String) async throws {
        let server = Server(routes: [])
        #expect(try server.start(host: host) != 0)
        await server.stop(within: .zero)
    }

    @Test("a server starts once and stops as often as one likes")
    func onceOnly() async throws {
        let server = Server(routes: [])
        _ = try server.start()
        #expect(#expect(throws: StartError.self) { try server.start() }?.code == EALREADY)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await server.stop(within: .seconds(1)) } }
        }
        #expect(#expect(throws: StartError.self) { try server.start() }?.code == EALREADY)
        await Server(routes: []).stop(within: .zero)
    }

    @Test("the limits in force have no zero")
    func limits() {
        let server = Server(routes: [])
        let limits = server.limits
        #expect(server.fileDescriptorLimit >= 256)
        #expect(limits.threads > 0 && limits.bodyBytes == 65536 && limits.headerBytes == 8192)
        #expect(limits.idleTimeout == .seconds(75))
        #expect(limits.connections > 0 && limits.connections < server.fileDescriptorLimit)
    }

    // MARK: Stop

    @Test("after the stop nobody is let in, and idle connections are closed")
    func closedAfterStop() async throws {
        try await withServer([.text("/", "")]) { live in
            let idle = try await live.begin("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await onThread { try idle.readResponse().status } == 200)
            await live.server.stop(within: .seconds(5))
            #expect(try await onThread { idle.isClosed() })
            await #expect(throws: RawClient.Failure.self) { try await onThread { _ = try live.connect() } }
        }
    }

    @Test("while it drains a request is served, and its connection closed")
    func servesWhileDraining() async throws {
        try await withServer([.text("/", "still here")]) { live in
            live.server.beginDraining()
            let response = try await live.get("/")
            #expect(response.text == "still here")
            #expect(response["Connection"] == "close")
            #expect(try await live.get("/no")["Connection"] == "close")
        }
    }

    @Test("stopping tells requests that wait: those answered then are sent, the others are 503")
    func stopsWaiting() async throws {
        let answering = Route(.get, "/answers") { _, responder in
            responder.onHangUp { if $0 == .stopped { responder.send(.text("idle")) } }
        }
        try await withServer([desk.route, answering]) { live in
            let told = try await live.begin("GET /answers HTTP/1.1\r\nHost: a\r\n\r\n", by: 30)
            let others = try await live.begin(Desk.request, by: 30)
            await eventually("all wait") { live.server.gauges.parked == 60 }
            await live.server.stop(within: .zero)
            let answers = try await onThread { try (told + others).map { ($0, try $0.readResponse()) } }
            #expect(answers.allSatisfy { $1["Connection"] == "close" && $0.isClosed() })
            #expect(answers.prefix(30).allSatisfy { $1.status == 200 && $1.text == "idle" })
            #expect(answers.suffix(30).allSatisfy { $1.status == 503 && $1["Retry-After"] != nil })
            #expect(answers.suffix(30).allSatisfy { $1.text.contains("/problems/stopping") })
            #expect(desk.hangUps.all == Array(repeating: .stopped, count: 30))
            #expect(live.log.entries.map(\.ending) == Array(repeating: .stopped, count: 60))
        }
    }

    @Test("what is answered within the stop's limit leaves before it")
    func drainsInTime() async throws {
        try await withServer([desk.route], crowd: true) { live in
            let clients = try await live.begin(Desk.request, by: 500)
            await eventually("all wait") { live.server.gauges.parked == 500 }
            live.server.beginDraining()
            async let stopped: Void = live.server.stop(within: .seconds(60))
            desk.answerAll("woken")
            let answers = try await onThread { try clients.map { try $0.readResponse() } }
            await stopped
            #expect(answers.allSatisfy { $0.text == "woken" && $0["Connection"] == "close" })
        }
    }

    @Test("a stop waits for a body that still arrives, and answers it")
    func arrivingWhileStopping() async throws {
        try await withServer([.echo]) { live in
            let client = try await live.begin("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell")
            await eventually("it arrives") { live.server.gauges.running == 1 }
            live.server.beginDraining()
            async let stopped: Void = live.server.stop(within: .seconds(60))
            let response = try await onThread {
                try client.send("o")
                return try client.readResponse()
            }
            await stopped
            #expect(response.text == "hello")
            #expect(response["Connection"] == "close")
        }
    }

    @Test("stopping under load loses no answer of a request that a handler saw")
    func stopUnderLoad() async throws {
        let seen = History<Int>()
        let route = Route(.get, "/{number}") { request, responder in
            seen.append(Int(request.parameter("number") ?? "") ?? 0)
            Task {
                await Task.yield()
                responder.send(.text("whole"))
            }
        }
        for _ in 0..<10 {
            let before = seen.all.count
            try await withServer([route]) { live in
                let answered = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            try await live.talk { client in
                                var count = 0
                                while let response = try? client.get("/\(count)") {
                                    #expect(response.text == "whole" || response.status == 503)
                                    count += 1
                                    if response["Connection"] == "close" { break }
                                }
                                return count
                            }
                        }
                    }
                    await eventually("there is load") { seen.all.count > before + 50 }
                    await live.server.stop(within: .seconds(60))
                    return try await group.reduce(0, +)
                }
                #expect(answered == seen.all.count - before)
            }
        }
    }

    @Test(
        "clients that read nothing hold up a stop for a second, not for their deadlines",
        arguments: ["/large", "/stream"])
    func stalledAtStop(path: String) async throws {
        let routes = [
            Route(.get, "/large", answer: { _ in .large }),
            Route(.get, "/stream") { $1.stream()?.send(SharedBody([UInt8](repeating: 120, count: 250_000))) },
        ]
        try await withServer(routes, limits: .forTests { $0.threads = 32 }) { live in
            let request = "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
            let clients = try await live.begin(request, by: 64, receiveBuffer: 2048)
            await eventually("they are answered") { live.server.gauges.running == 64 }
            let start = ContinuousClock.now
            await live.server.stop(within: .milliseconds(10))
            // One second for all loops together. The deadline is ten minutes, and a busy machine may take its time.
            #expect(ContinuousClock.now - start < .seconds(60))
            withExtendedLifetime(clients) {}
        }
    }
}
