import BinderyTesting
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("Changes as a sequence")
struct ChangesTests {
    static let carriers = [RemoteChanges.Carrier.stream, .polls]

    private func served(
        over store: any SessionStore = MemoryStore(),
        _ test: (TestServer, RemoteViewModel<CounterViewModel>) async throws -> Void
    ) async throws {
        try await withServer(viewModels: Catalogue.samples.viewModels, store: store) { server in
            try await test(server, try await server.session().viewModel(CounterViewModel.self))
        }
    }

    @Test("a snapshot, and then what changes, in order", arguments: carriers)
    func changes(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            var updates = counter.session.changes(topics: ["counter"], over: carrier).makeAsyncIterator()
            let first = try #require(try await updates.next())
            #expect(first.kind == .snapshot(reason: "initial"))
            #expect(first.changes.map(\.output) == ["text", "enabled", "alpha"])
            for number in 1...3 {
                let state = try await counter.act("increment")
                let update = try #require(try await updates.next())
                #expect(update.kind == .delta && update.cursor == state.cursor)
                #expect(try update.value(of: \CounterViewModel.text) == "\(number)")
                #expect(try update.value(of: \CounterViewModel.enabled) == (number == 1 ? true : nil))
            }
        }
    }

    @Test("from a cursor on, what came after it, and no snapshot", arguments: carriers)
    func resumed(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            let seen = try await counter.act("increment").cursor
            try await counter.act("increment")
            var updates = counter.session.changes(since: seen, over: carrier).makeAsyncIterator()
            let update = try #require(try await updates.next())
            #expect(update.kind == .delta)
            #expect(try update.value(of: \CounterViewModel.text) == "2")
        }
    }

    @Test("one output's values", arguments: carriers)
    func values(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            var enabled = counter.values(of: \.enabled, over: carrier).makeAsyncIterator()
            #expect(try await enabled.next() == false)
            for action in ["increment", "increment", "decrement", "decrement"] { try await counter.act(action) }
            // The newest counts: in between it was true.
            #expect([true, false].contains(try await enabled.next()))
            #expect(try await counter.values(of: \.text).first { _ in true } == "0")
        }
    }

    @Test("nothing is missed over a restart of the server", arguments: carriers)
    func restart(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            var updates = counter.session.changes(topics: ["counter"], over: carrier).makeAsyncIterator()
            try await counter.act("increment")
            var text: String?
            while text != "1" { text = try await updates.next()?.value(of: \CounterViewModel.text) }
            try await server.restart()
            try await counter.act("increment")
            let update = try #require(try await updates.next())
            #expect(update.kind == .delta)
            #expect(try update.value(of: \CounterViewModel.text) == "2")
        }
    }

    @Test("after a store that was put back, everything anew", arguments: carriers)
    func rewound(over carrier: RemoteChanges.Carrier) async throws {
        let store = RewindingStore()
        try await served(over: store) { server, counter in
            for _ in 0..<3 { try await counter.act("increment") }
            var updates = counter.session.changes(topics: ["counter"], over: carrier).makeAsyncIterator()
            #expect(try await updates.next()?.value(of: \CounterViewModel.text) == "3")
            await server.stop()
            store.rewind(to: 2)
            try await server.restart()
            let update = try #require(try await updates.next())
            #expect(update.kind != .delta)
            #expect(try update.value(of: \CounterViewModel.text) == "1")
        }
    }

    @Test("the session's end is 401, and the sequence's end", arguments: carriers)
    func ended(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            var updates = counter.session.changes(over: carrier).makeAsyncIterator()
            _ = try await updates.next()
            try await counter.session.end()
            do {
                _ = try await updates.next()
                Issue.record("There was another update.")
            } catch let problem as RemoteProblem {
                #expect(problem.status == 401)
            }
            #expect(try await updates.next() == nil)
        }
    }

    @Test("a task that is cancelled waits no more, and the server sees it go", arguments: carriers)
    func cancelled(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, counter in
            let seen = History<RemoteUpdate.Kind>()
            let cursor = try await counter.session.cursor()
            let following = Task {
                for try await update in counter.session.changes(since: cursor, over: carrier) { seen.note(update.kind) }
            }
            try await server.waits(in: counter.session)
            following.cancel()
            await #expect(throws: CancellationError.self) { try await following.value }
            try await server.waits(0, in: counter.session)
            try await counter.act("increment")
            #expect(seen.elements == [])
        }
    }

    @Test("a loop that is left closes its connection")
    func left() async throws {
        try await served { server, counter in
            for try await _ in counter.session.changes() { break }
            try await server.waits(0, in: counter.session)
        }
    }

    @Test("topics that are not there are 400, and not asked for again")
    func unknownTopic() async throws {
        try await served { server, counter in
            var updates = counter.session.changes(topics: ["countre"]).makeAsyncIterator()
            do {
                _ = try await updates.next()
                Issue.record("There was an update.")
            } catch let problem as RemoteProblem {
                #expect(problem.status == 400 && problem.detail.contains("counter"))
            }
        }
    }
}
