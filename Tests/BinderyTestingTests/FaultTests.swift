import BinderyKit
import BinderyTesting
import Entities
import Samples
import Testing

/// Protects the faults that hosts plant, and what clients see of them.
@Suite("A store with faults")
struct FaultTests {
    private func withCounter(
        _ test: (TestServer, RemoteSession, RemoteViewModel<Counter>) async throws -> Void
    ) async throws {
        try await withServer(viewModels: [.hosting(Counter.self)]) { server in
            let session = try await server.session()
            try await test(server, session, try await session.viewModel(Counter.self))
        }
    }

    private func problem(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch let problem as RemoteProblem { return problem.type } catch let error
            as RemoteFailure
        {
            return (error.cause as? RemoteProblem)?.type
        } catch {}
        return nil
    }

    @Test("that refuses a commit makes the action fail, and nothing has changed")
    func refused() async throws {
        try await withCounter { server, _, counter in
            server.faults.failNextCommit()
            #expect(await problem { try await counter.increment() } != nil)
            try await counter.increment()
            #expect(counter.text.value == "1")
        }
    }

    @Test(
        "that loses an answer leaves the outcome unknown, and a key makes the action happen once",
        arguments: [false, true])
    func lost(isStored: Bool) async throws {
        try await withCounter { server, _, counter in
            server.faults.loseNextCommit(isStored: isStored)
            _ = await problem { try await counter.increment(key: "a") }
            try await counter.increment(key: "a")
            #expect(counter.text.value == "1")
        }
    }

    @Test("that is away answers nothing that changes, and goes on when it is back")
    func away() async throws {
        try await withCounter { server, _, counter in
            server.faults.isStoreAway = true
            #expect(await problem { try await counter.increment() } != nil)
            server.faults.isStoreAway = false
            try await counter.increment()
            #expect(counter.text.value == "1")
        }
    }

    @Test("that delays commits lets nobody see them before they are stored")
    func delays() async throws {
        try await withCounter { server, session, counter in
            let history = try await server.history(of: \Counter.text, in: session)
            server.faults.delaysCommits = true
            let acting = Task { try await counter.increment() }
            let other = server.client.session(token: session.token ?? "")
            #expect(try await other.viewModel(Counter.self).text.value == "0")
            #expect(try history.values() == ["0"])
            server.faults.delaysCommits = false
            try await acting.value
            #expect(try history.values() == ["0", "1"])
        }
    }

    @Test("that is put back makes a restarted server show the old state, and cursors of what was lost a snapshot")
    func restored() async throws {
        try await withCounter { server, session, counter in
            try await counter.increment()
            let backup = server.faults.backup()
            try await counter.increment()
            server.faults.restore(backup)
            try await server.restart()
            #expect(
                try await server.client.session(token: session.token ?? "").viewModel(Counter.self).text.value == "1")
        }
    }
}
