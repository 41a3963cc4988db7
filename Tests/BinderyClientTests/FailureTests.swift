import Foundation
import Testing

@testable import BinderyClient

/// Protects app developers from a wait or an error that does not say what is wrong.
@Suite("A failure", .timeLimit(.minutes(1)))
struct FailureTests {
    let bench: Bench
    var server: StandInServer { bench.server }
    var clock: SleepClock { bench.clock }

    init() throws { bench = try Bench() }

    /// What a client may begin with.
    static let beginnings: [@Sendable (BinderyClient) async throws -> Void] = [
        { _ = try await $0.session() }, { _ = try await $0.publicSession.viewModel(Counter.self) },
        { _ = try await $0.publicSession.act("increment", of: "counter", json: nil) },
        { for try await _ in $0.publicSession.changes() {} },
    ]

    @Test("of a wrong port comes at once, and says the URL", arguments: beginnings.indices)
    func wrongPort(beginning: Int) async throws {
        let closed = try StandInServer(.isClosed)
        let client = BinderyClient(closed.url, clock, connectTime: .seconds(3))
        let failure = await #expect(throws: RemoteFailure.self) { try await Self.beginnings[beginning](client) }
        #expect(failure?.code == .unreachable && failure?.description.contains("\(closed.url)") == true)
    }

    @Test("of a port that accepts and says nothing comes in time", arguments: beginnings.indices)
    func silentPort(beginning: Int) async throws {
        let silent = try StandInServer(.isSilent)
        let client = BinderyClient(silent.url, clock, connectTime: .seconds(1))
        let failure = await #expect(throws: RemoteFailure.self) { try await Self.beginnings[beginning](client) }
        #expect(failure?.code == .timedOut)
    }

    @Test("of a URL that Foundation cannot ask comes at once", arguments: ["http://[::1]:1", "localhost:8080", "/"])
    func badURL(url: String) async throws {
        let client = BinderyClient(try #require(URL(string: url)), clock, connectTime: .seconds(3))
        let failure = await #expect(throws: RemoteFailure.self) { try await client.session() }
        #expect(failure?.code == .unreachable)
        #expect(failure?.description.contains("IPv6") == url.contains("["))
    }

    @Test(
        "is an answer of another than a Bindery server; no redirect is followed",
        arguments: [("200 OK", "text/html"), ("302 Found", "text/html"), ("200 OK", "application/json")])
    func foreign(status: String, type: String) async throws {
        let asking = Task { [session = bench.session] in _ = try await session.viewModel(Counter.self) }
        try await server.next().answer(status, type, #"{"login":"please"}"#, "Location: \(server.url)/x\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.outcome }
        #expect(failure?.code == .notUnderstood && failure?.description.contains("Check the URL") == true)
        #expect(server.requests == 1)
    }

    @Test("is an answer that is too large")
    func tooLarge() async throws {
        let asking = Task { [session = bench.session] in _ = try await session.viewModel(Counter.self) }
        let body = state(String(repeating: "x", count: BinderyClient.largestAnswer))
        let call = try await server.next()
        let sending = Task.detached { call.answer(state: body, seq: 1) }
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.outcome }
        #expect(failure?.description.contains("more than 16 MiB") == true)
        await sending.value
    }
}
