import Events
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Protects the clients of a full server, and tells newcomers.
@Suite("A full server", .timeLimit(.minutes(5)))
struct FullServerTests {
    private let desk = Desk()
    private let limits = ServerLimits.forTests { $0.connections = 4 }

    /// Takes every place of a server for four.
    private func fill(_ live: LiveServer) async throws -> [RawClient] {
        let clients = try await live.begin(Desk.request, by: 4)
        await eventually("all wait") { desk.count == 4 }
        return clients
    }

    /// The first answer to a newcomer.
    ///
    /// A newcomer has a second to ask, and a busy machine may take longer: then another one asks.
    private func answer(of live: LiveServer) async throws -> ReceivedResponse {
        for _ in 0..<100 {
            if let response = try? await live.get("/") { return response }
        }
        return try await live.get("/")
    }

    @Test("a newcomer that asks is told 503, the log names the bound, and the others go on")
    func serverFull() async throws {
        try await withServer([.text("/", "ok"), desk.route], limits: limits) { live in
            let served = try await fill(live)
            let refused = try await answer(of: live)
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] != nil)
            #expect(refused["Content-Type"] == "application/problem+json")
            #expect(refused["Connection"] == "close")
            let event = try #require(live.log.events.first)
            #expect(event.kind == .boundReached)
            #expect(event["bound"] == "max-connections")
            #expect(event["limit"] == 4)
            desk.answerAll("held")
            let texts = try await onThread { try served.map { try $0.readResponse().text } }
            #expect(texts == Array(repeating: "held", count: 4))
            served[0].close()
            await eventually("there is room again") { live.server.gauges.connections == 3 }
            #expect(try await live.get("/").status == 200)
        }
    }

    @Test("a newcomer that says nothing is closed after a second")
    func silentNewcomer() async throws {
        try await withServer([desk.route], limits: limits) { live in
            let served = try await fill(live)
            #expect(try await live.talk { $0.isClosed() })
            #expect(live.server.gauges.connections == 4)
            withExtendedLifetime(served) {}
        }
    }

    @Test("far beyond the limit newcomers are refused or closed at once, and the others are not disturbed")
    func farBeyondTheLimit() async throws {
        try await withServer([desk.route], limits: limits) { live in
            let served = try await fill(live)
            let answers = try await onThread {
                let newcomers = try (0..<200).map { _ in try live.connect() }
                let statuses = newcomers.map { (try? $0.get("/desk"))?.status }
                return Set(statuses)
            }
            #expect(answers.isSubset(of: [503, nil]))
            #expect(desk.count == 4)
            desk.answerAll("held")
            let texts = try await onThread { try served.map { try $0.readResponse().text } }
            #expect(texts == Array(repeating: "held", count: 4))
        }
    }

    @Test("accepting goes on after the process ran out of descriptors, and the log says why it did not")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let log = RecordingLog()
            let server = Server(routes: [.text("/", "ok")], limits: .forTests, log: log)
            let live = LiveServer(server: server, port: try server.start(), log: log)
            #expect(try await live.get("/").text == "ok")
            await live.nothingIsLeft()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 256
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var taken: [Int32] = []
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            #expect(!taken.isEmpty)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = live.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(connected == 0)
            await eventually("it is told") { log.events.contains { $0["bound"] == "open-files" } }
            for descriptor in taken { close(descriptor) }
            #expect(try await live.get("/").text == "ok")
            await eventually("both are accepted") { server.gauges.connections >= 1 }
            close(client)
            await server.stop(within: .zero)
        }
    }
}
