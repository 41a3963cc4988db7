import Foundation
import Testing

@testable import BinderyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension WireTests {
    @Test("a server that accepts and never answers is given up after the time for an answer, and the connection closed")
    func neverAnswers() async throws {
        let asking = Task { [counter] in try await counter.state() }
        let line = try await server.accept()
        try await wait(.seconds(60))
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .timedOut)
        #expect(failure?.description.hasPrefix("GET /counter: nothing came for 60.0 seconds.") == true)
        #expect(try await line.isClosed())
    }

    @Test("whoever is cancelled is given nothing, and the connection closed")
    func cancelled() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        let line = try await server.accept()
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(try await line.isClosed())
        #expect(server.isDeserted)
    }

    @Test("no redirect is followed, and no page taken for an answer", arguments: ["302 Found", "200 OK"])
    func foreign(status: String) async throws {
        let asking = Task { [session] in try await session.poll() }
        try await server.accept().answer(status, "text/html", "<html>", "Location: \(server.url)/elsewhere\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .notUnderstood && server.isDeserted)
    }

    @Test("JSON that a network answers by itself is no outcome of an action, and no session that ended")
    func foreignJSON() async throws {
        let asking: [@Sendable () async throws -> Void] = [
            { [counter] in try await counter.act("increment") }, { [counter] in _ = try await counter.state() },
            { [session] in _ = try await session.show() }, { [session] in try await session.changeLanguage(to: "ja") },
            { [session] in try await session.end() },
        ]
        for ask in asking {
            let asked = Task { try await ask() }
            try await server.accept().answer("200 OK", "application/json", #"{"login":"please"}"#)
            let failure = await #expect(throws: RemoteFailure.self) { try await asked.value }
            #expect(failure?.code == .notUnderstood && failure?.description.contains("See that the URL is the") == true)
        }
        #expect(server.isDeserted)
    }

    @Test("a tag that a proxy has made a weak one is where the view model stands")
    func weakTag() async throws {
        let asked = Task { [counter] in try await counter.act("increment") }
        let state = #"{"text":"1","enabled":true,"alpha":1}"#
        try await server.accept().answer("200 OK", "application/json", state, "ETag: W/\"k3.1\"\r\n")
        #expect(try await asked.value.cursor == RemoteCursor("k3.1"))
    }

    @Test(
        "a page is no event stream, and a redirect none that was lost", arguments: ["200 OK", "308 Permanent Redirect"])
    func page(status: String) async throws {
        let asking = Task { [session] in
            var updates = session.changes().makeAsyncIterator()
            return try await updates.next()
        }
        try await server.accept().answer(status, "text/html", "<html>", "Location: \(server.url)/elsewhere\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .notUnderstood && server.isDeserted)
    }

    @Test("an answer that is larger than it may be is given up")
    func tooLarge() async throws {
        let client = BinderyClient(server.url, by: timeline) { $0.largestAnswer = 100 }
        let asking = Task { try await client.publicSession.cursor() }
        try await server.accept().answer("200 OK", "application/json", "\"\(String(repeating: "x", count: 200))\"")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.description.contains("larger than 100 bytes") == true)
    }

    @Test("where nobody listens, the error says where")
    func refused() async throws {
        try await withNobodyListening { url in
            let client = BinderyClient(url, by: timeline)
            let failure = await #expect(throws: RemoteFailure.self) { try await client.session() }
            #expect(failure?.code == .connectionLost)
            #expect(failure?.description.hasPrefix("POST /sessions: no connection came about: ") == true)
            #expect(failure?.description.hasSuffix("See that the server runs at \(url).") == true)
        }
    }

    @Test(
        "an error says where a server is as its URL does",
        arguments: [
            ("https://bindery.example.org", "https://bindery.example.org"),
            ("http://[::1]:8080/at", "http://[::1]:8080"),
        ])
    func place(url: String, place: String) throws {
        #expect(URLRequest(url: try #require(URL(string: url))).place == place)
    }
}
