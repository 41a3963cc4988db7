import BinderyKit
import BinderyTesting
import Testing
import ViewModels

/// Protects the client against a real server.
@Suite("A client of a server", .timeLimit(.minutes(2)))
struct LiveTests {
    private func withCounters(_ test: (TestServer) async throws -> Void) async throws {
        let viewModels: [Declaration] = [.hosting(Counter.self), .hosting(ObjectCounter.self)]
        try await withServer(viewModels: viewModels, languages: Languages(.english, "ja"), test)
    }

    @Test("shows in one app what another app of the session does, also over a restart")
    func twoApps() async throws {
        try await withCounters { server in
            let session = try await server.session()
            let mine = try await session.viewModel(Counter.self)
            let client = BinderyClient(server.url, ContinuousClock(), connectTime: .seconds(60))
            let others = try await client.session(token: session.token ?? "").viewModel(Counter.self)
            try await mine.addMany(7)
            #expect(mine.text.value == "7" && mine.note.value == nil)
            for await text in others.text.values where text == "7" { break }
            try await server.restart()
            try await others.addMany(5)
            #expect(others.text.value == "12" && others.note.value == "many")
            for await text in mine.text.values where text == "12" { break }
            #expect(try await session.viewModel(ObjectCounter.self).text.value == "0")
        }
    }

    @Test("hears a refusal, a new language and the end of the session")
    func session() async throws {
        try await withCounters { server in
            let session = try await server.session(language: "en")
            let counter = try await session.viewModel(Counter.self)
            let unit = try counter.output("unit", as: String.self)
            let problem = await #expect(throws: RemoteProblem.self) { try await counter.addMany("x") }
            #expect(problem?.status == 422 && counter.text.value == "0" && unit.value == "pieces")
            try await session.changeLanguage(to: "ja")
            for await unit in unit.values where unit == "個" { break }
            try await session.end()
            for await connection in counter.connection.values {
                if case .ended(let error) = connection {
                    #expect((error as? RemoteProblem)?.status == 401)
                    break
                }
            }
            await #expect(throws: RemoteProblem.self) { try await session.viewModel(Counter.self) }
        }
    }

    @Test("reads the changes after a cursor, once each")
    func changes() async throws {
        try await withCounters { server in
            let session = server.publicSession
            var updates = session.changes(topics: ["counter"]).makeAsyncIterator()
            let cursor = try #require(try await updates.next()?.cursor)
            let counter = try await session.viewModel(Counter.self)
            for _ in 0..<3 { try await counter.increment() }
            var (texts, later) = ([String](), session.changes(topics: ["counter"], since: cursor).makeAsyncIterator())
            while texts.last != "3" { texts += [try await later.next()?.text].compactMap(\.self) }
            #expect(texts == ["3"])
        }
    }
}
