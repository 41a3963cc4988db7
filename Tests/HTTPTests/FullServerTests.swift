import Events
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
            await eventually("it is counted no more") { live.server.gauges.connections == 4 }
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
}
