import Samples
import TestSupport
import Testing

@testable import BinderyClient

extension WireTests {
    @Test("an action is asked for again under one key where its answer was lost, or a proxy cannot reach the server")
    func repeated() async throws {
        let asking = Task { [counter] in try await counter.act("increment", LoginViewModel.Credentials(id: "taro")) }
        var keys: Set<String?> = []
        for failure in [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"te", "502 Bad Gateway", "503 Service Unavailable",
        ] {
            let line = try await server.accept()
            keys.insert(line.field("Idempotency-Key"))
            if failure.first?.isNumber == true {
                line.answer(failure, "text/html", "<html>", "Retry-After: 2\r\n")
            } else {
                line.send(failure)
            }
            line.finish()
            await wait(.seconds(8), atLeast: .milliseconds(500))
        }
        let line = try await server.accept()
        keys.insert(line.field("Idempotency-Key"))
        line.answer("200 OK", "application/json", #"{"text":"1","enabled":true,"alpha":1}"#, "ETag: \"k3.1\"\r\n")
        #expect(try await asking.value.text == "1")
        #expect(keys.count == 1)
    }

    @Test("an action is given up after its time, and the error says so, and what came last")
    func gaveUp() async throws {
        let asking = Task { [counter] in try await counter.act("increment", key: "its-own") }
        for retryAfter in [1, 10, 15] {
            let start = timeline.now
            try await server.accept().answer(
                "503 Service Unavailable", "text/html", "", "Retry-After: \(retryAfter)\r\n")
            await wait(.seconds(retryAfter), atLeast: .seconds(retryAfter))
            #expect(timeline.now - start == .seconds(retryAfter))
        }
        try await server.accept().answer("503 Service Unavailable", "text/html", "", "Retry-After: 10\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .gaveUp && (failure?.cause as? RemoteProblem)?.status == 503)
        #expect(
            failure?.description.hasPrefix(
                "POST /counter/increment: given up after 4 attempts in 26.0 seconds; it may have been done; asked for again "
                    + "under the key \"its-own\" it is done once. The last: POST /counter/increment: 503 ") == true)
        #expect(server.isDeserted)
    }

    @Test("an action whose first answer is lost after its time is asked for once more")
    func lostLate() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        let first = try await server.accept()
        try await wait(.seconds(60))
        #expect(try await first.isClosed())
        await wait(.seconds(1), atLeast: .milliseconds(500))
        let second = try await server.accept()
        #expect(second.field("Idempotency-Key") == first.field("Idempotency-Key"))
        second.answer("502 Bad Gateway", "text/html", "<html>")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .gaveUp && failure?.description.contains("after 2 attempts") == true)
        #expect(server.isDeserted)
    }

    @Test("an action is not asked for again once its key may be forgotten, as where the process slept")
    func suspended() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        try await server.accept().answer("502 Bad Gateway", "text/html", "<html>")
        let pause = timeline.now + .milliseconds(500)...timeline.now + .seconds(1)
        #expect(await eventually { timeline.sleepers.contains(where: pause.contains) })
        timeline.advance(by: .seconds(600))
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .gaveUp && server.isDeserted)
    }

    @Test(
        "an action is never asked for again after what the server has made up its mind about",
        arguments: [
            ("400 Bad Request", "malformed"), ("409 Conflict", "action-disabled"),
            ("429 Too Many Requests", "too-many"),
            ("500 Internal Server Error", "internal-error"), ("504 Gateway Timeout", "action-timeout"),
        ])
    func decided(status: String, kind: String) async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        let body = #"{"type":"/problems/\#(kind)","status":\#(status.prefix(3)),"detail":"No."}"#
        try await server.accept().answer(status, "application/problem+json", body, "Retry-After: 1\r\n")
        let problem = await #expect(throws: RemoteProblem.self) { try await asking.value }
        #expect(problem?.type == "/problems/\(kind)" && server.isDeserted)
    }

    @Test("a 504 of a proxy is no outcome: the action is asked for again")
    func proxyTimeout() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        try await server.accept().answer("504 Gateway Timeout", "text/html", "<html>")
        await wait(.seconds(1), atLeast: .milliseconds(500))
        try await server.accept().answer(
            "200 OK", "application/json", #"{"text":"1","enabled":true,"alpha":1}"#, "ETag: \"k3.1\"\r\n")
        #expect(try await asking.value.text == "1")
    }

    @Test("an action that is asked for once fails with what came")
    func impatient() async throws {
        let client = BinderyClient(server.url, by: timeline) { $0.actionPatience = .zero }
        let counter = client.publicSession.viewModel(CounterViewModel.self)
        let asking = Task { try await counter.act("increment") }
        try await server.accept().answer("502 Bad Gateway", "text/html", "<html>")
        let problem = await #expect(throws: RemoteProblem.self) { try await asking.value }
        #expect(problem?.status == 502 && problem?.type == "about:blank")
        #expect(problem?.detail.contains("proxy") == true)
        #expect(server.isDeserted)
    }

    @Test("an action that nobody was there for is given up, and the error says that it was not done")
    func neverReached() async throws {
        try await withNobodyListening { url in
            let client = BinderyClient(url, by: timeline) { $0.actionPatience = .milliseconds(1500) }
            let asking = Task { try await client.publicSession.viewModel(CounterViewModel.self).act("increment") }
            await wait(.seconds(1), atLeast: .milliseconds(500))
            let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
            #expect(failure?.code == .gaveUp)
            #expect(failure?.description.contains("; it was not done: POST /counter/increment: no connection") == true)
        }
    }
}
