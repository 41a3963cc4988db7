import Foundation
import Testing

@testable import BinderyClient

/// Protects that an action is repeated under one key where that is safe, and never elsewhere.
@Suite("An action", .timeLimit(.minutes(1)))
struct ActionTests {
    let bench: Bench
    var server: StandInServer { bench.server }
    var clock: SleepClock { bench.clock }

    init() throws { bench = try Bench() }

    /// Asks for an action of a counter whose stream is open.
    private func acting(_ key: String? = nil) async throws -> (RemoteViewModel<Counter>, Task<Void, any Error>) {
        let (counter, _) = try await bench.counter()
        return (counter, Task { try await counter.increment(key: key) })
    }

    @Test("is repeated under one key after a lost line, 502, 503 and a 504 of a proxy")
    func repeated() async throws {
        let (counter, acting) = try await acting()
        var keys: Set<String?> = []
        for (pause, status) in [
            (1, ""), (2, "502 Bad Gateway"), (4, "503 Service Unavailable"), (8, "504 Gateway Timeout"),
        ] {
            let call = try await server.next()
            #expect(call.line == "POST /counter/increment HTTP/1.1" && call["Authorization"] == "Bearer secret")
            keys.insert(call["Idempotency-Key"])
            if status.isEmpty {
                call.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"te")
                call.finish()
            } else {
                call.answer(status, "text/html", "<html>")
            }
            try await clock.pass(pause: .seconds(pause))
        }
        let call = try await server.next()
        keys.insert(call["Idempotency-Key"])
        call.answer(state: state("2"), seq: 2)
        try await acting.outcome
        #expect(counter.text.value == "2" && keys.count == 1)
    }

    @Test("waits as long as the server says, gives up after 30 s, and the error says the key")
    func gaveUp() async throws {
        let (_, acting) = try await acting("its-own")
        for retryAfter in [9, 20] {
            try await server.next().answer("503 Service Unavailable", "text/html", "", "Retry-After: \(retryAfter)\r\n")
            try await clock.pass(.seconds(retryAfter))
        }
        try await server.next().answer("503 Service Unavailable", "text/html", "")
        let failure = await #expect(throws: RemoteFailure.self) { try await acting.outcome }
        #expect(failure?.code == .gaveUp && (failure?.cause as? RemoteProblem)?.status == 503)
        #expect(failure?.description.contains("under the key its-own it is done once") == true)
    }

    @Test("is not repeated after a pause in which the process slept longer")
    func slept() async throws {
        let (_, acting) = try await acting()
        try await server.next().answer("502 Bad Gateway", "text/html")
        try await clock.time.deadline(in: .milliseconds(500) ... .seconds(1))
        let requests = server.requests
        clock.time.advance(by: .seconds(600))
        let failure = await #expect(throws: RemoteFailure.self) { try await acting.outcome }
        // The stream may have been opened anew.
        #expect(failure?.code == .gaveUp && server.requests <= requests + 1)
    }

    @Test(
        "is never repeated after an answer that decides",
        arguments: [
            ("400 Bad Request", "malformed"), ("409 Conflict", "action-disabled"),
            ("429 Too Many Requests", "too-many"),
            ("500 Internal Server Error", "internal-error"), ("504 Gateway Timeout", "action-timeout"),
        ])
    func decided(status: String, kind: String) async throws {
        let (_, acting) = try await acting()
        let body = ##"{"type":"/problems/\##(kind)","detail":"No.","instance":"7","pointer":"#/id"}"##
        try await server.next().answer(status, "application/problem+json", body, "Retry-After: 1\r\n")
        let problem = await #expect(throws: RemoteProblem.self) { try await acting.outcome }
        #expect(problem?.type == "/problems/\(kind)" && problem?.retryAfter == .seconds(1))
        #expect(problem?.description == "POST /counter/increment: \(status.prefix(3)) \(kind): No. (#/id)")
    }

    @Test("that is cancelled closes its connection and is not repeated")
    func cancelled() async throws {
        let (_, acting) = try await acting()
        let call = try await server.next()
        acting.cancel()
        await #expect(throws: CancellationError.self) { try await acting.outcome }
        await call.closed()
        #expect(server.requests == 3)
    }

    @Test("that the declaration does not have is an error before any request")
    func undeclared() async throws {
        let (counter, _) = try await bench.counter()
        let failure = await #expect(throws: RemoteFailure.self) { try await counter.incremnt() }
        #expect(failure?.code == .undeclared)
        #expect(failure?.description == "counter declares no action incremnt. It declares increment, add-many.")
        #expect(server.requests == 2)
    }

    @Test("with hyphens has a Swift name, and sends its body and the caller's key")
    func body() async throws {
        let (counter, _) = try await bench.counter()
        let acting = Task { try await counter.addMany(11, key: "k-1") }
        let call = try await server.next()
        #expect(call.line == "POST /counter/add-many HTTP/1.1" && call.body == "11")
        #expect(call["Idempotency-Key"] == "\"k-1\"" && call["Content-Type"] == "application/json")
        call.answer(state: #"{"text":"12","note":"many","unit":"個"}"#, seq: 2)
        try await acting.outcome
        #expect(counter.note.value == "many")
    }
}
