import Binding
import Foundation
import Locking
import Observation
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import BinderyClient
@testable import BinderyTesting

@Suite("Binding to a view model on a server")
struct BoundTests {
    /// A view.
    private final class Label: Sendable {
        let history = History<String>()
        var text: String? {
            get { history.elements.last }
            set { history.note(newValue ?? "nothing") }
        }
    }

    private let center = NotificationCenter()

    private func served(
        over store: any SessionStore = MemoryStore(), _ test: (TestServer, RemoteSession) async throws -> Void
    ) async throws {
        try await withServer(viewModels: Catalogue.samples.viewModels, store: store) { server in
            try await test(server, try await server.session())
        }
    }

    private func client(at url: URL) -> BinderyClient {
        var options = BinderyClient.Options()
        (options.firstPause, options.longestPause) = (.milliseconds(1), .milliseconds(20))
        return BinderyClient(url, options: options)
    }

    @Test("shows what is there, what others change, and what one's own action made when it returns")
    func label() async throws {
        try await served { server, session in
            let label = Label()
            let counter = try await session.bound().viewModel(CounterViewModel.self)
            center.observe(counter.text, bindTo: label, \.text)
            #expect(label.text == "0" && !counter.enabled.value && counter.alpha.value == 0.5)
            #expect(try await counter.act("increment").text == "1")
            #expect(label.text == "1" && counter.enabled.value)
            try await session.viewModel(CounterViewModel.self).act("increment")
            #expect(await eventually { label.text == "2" })
            #expect(label.history.elements == ["0", "1", "2"])
        }
    }

    @Test("is a constant, whether the declaration has a property, a constant or null")
    func declared() async throws {
        try await served { server, session in
            let bound = try await session.bound()
            let observed = try bound.viewModel(ObservedOrientationViewModel.self)
            let orientation = try bound.viewModel(OrientationViewModel.self)
            try await observed.act("change", OrientationChange(.landscapeLeft))
            try await orientation.act("change", OrientationChange(.landscapeLeft))
            #expect(observed.isLandscape.value && orientation.isLandscape.value)
            let login = try bound.viewModel(LoginViewModel.self)
            #expect(login.color.value == nil)
            try await login.act("validate", LoginViewModel.Credentials(id: "a", password: "b"))
            #expect(login.color.value == .green)
        }
    }

    @Test("shows all view models of a session over one connection")
    func oneConnection() async throws {
        try await served { server, session in
            let bound = try await session.bound()
            let viewModels: [Any] = [
                try bound.viewModel(CounterViewModel.self), try bound.viewModel(LoginViewModel.self),
                try bound.viewModel(CounterViewModel.self),
            ]
            try await server.waits(in: session)
            #expect(viewModels.count == 3)
        }
    }

    /// A part of another's declaration.
    private struct Card: Presented {
        let paramB: String
        static let presentation = Presentation<Card>("profile", facet: "card", ShownOutput("paramB", \.paramB))
    }

    @Test("shows a facet by its own declaration, and refuses what the topics leave out")
    func facet() async throws {
        try await served { server, session in
            #expect(try await session.viewModel(Card.self).state().paramB == "")
            let bound = try await session.bound(topics: [Card.presentation.topic])
            let card = try bound.viewModel(Card.self)
            let profile = session.viewModel(ProfileViewModel.self)
            try await profile.act("load", ProfileViewModel.Values(paramA: 1, paramB: "b"))
            #expect(await eventually { card.paramB.value == "b" })
            let failure = #expect(throws: RemoteFailure.self) { try bound.viewModel(ProfileViewModel.self) }
            #expect(failure?.description.hasPrefix("profile.paramA is not shown: the topics do not name it") == true)
        }
    }

    /// A counter as a client of another build has it.
    private struct OtherCounter: Presented {
        let text: Int
        static let presentation = Presentation<OtherCounter>("counter", ShownOutput("text", \.text))
    }

    @Test("refuses an output that is of another type than it is declared with")
    func otherBuild() async throws {
        try await served { server, session in
            let bound = try await session.bound()
            let failure = #expect(throws: RemoteFailure.self) { try bound.viewModel(OtherCounter.self) }
            #expect(failure?.description.hasPrefix("counter.text is shown as what it is not declared as") == true)
        }
    }

    @Test("goes on over a restart, and misses nothing", arguments: [RemoteChanges.Carrier.stream, .polls])
    func restart(over carrier: RemoteChanges.Carrier) async throws {
        try await served { server, session in
            let label = Label()
            let counter = try await session.bound(over: carrier).viewModel(CounterViewModel.self)
            center.observe(counter.text, bindTo: label, \.text)
            try await counter.act("increment")
            await server.stop()
            #expect(
                await eventually {
                    if case .waiting = counter.session.connection.value { true } else { false }
                })
            try await server.restart()
            try await session.viewModel(CounterViewModel.self).act("increment")
            #expect(await eventually { label.text == "2" })
            #expect(label.history.elements == ["0", "1", "2"])
            #expect(counter.session.connection.value.isLive)
        }
    }

    @Test(
        "shows what a store that was put back has, and nothing of what it lost",
        arguments: [RemoteChanges.Carrier.stream, .polls])
    func rewound(over carrier: RemoteChanges.Carrier) async throws {
        let store = RewindingStore()
        try await served(over: store) { server, session in
            let counter = try await session.bound(over: carrier).viewModel(CounterViewModel.self)
            for _ in 0..<3 { try await counter.act("increment") }
            await server.stop()
            store.rewind(to: 2)
            try await server.restart()
            #expect(await eventually { counter.text.value == "1" })
            try await counter.act("increment")
            #expect(await eventually { counter.text.value == "2" })
        }
    }

    @Test("ends with the session, says so, and leaves what was shown")
    func sessionEnded() async throws {
        try await served { server, session in
            let counter = try await session.bound().viewModel(CounterViewModel.self)
            try await session.end()
            #expect(
                await eventually {
                    guard case .ended(let error) = counter.session.connection.value else { return false }
                    return (error as? RemoteProblem)?.status == 401
                })
            #expect(counter.text.value == "0")
        }
    }

    @Test("once closed nothing is delivered any more, not even of an action that is answered then")
    func closed() async throws {
        try await served { server, session in
            let label = Label()
            let counter = try await session.bound().viewModel(CounterViewModel.self)
            center.observe(counter.text, bindTo: label, \.text)
            await counter.session.close()
            try await server.waits(0, in: session)
            #expect(try await counter.act("increment").text == "1")
            #expect(label.history.elements == ["0"])
        }
    }

    @Test("a view model that nobody has any more ends its observations, and with the last the connection closes")
    func dropped() async throws {
        try await served { server, session in
            let bound = Lock(try await Self.observed(session, center))
            let observer = bound.withLock { $0?.observer }
            #expect(observer?.isCancelled == false)
            bound.withLock { $0 = nil }
            #expect(observer?.isCancelled == true)
            try await server.waits(0, in: session)
        }
    }

    private static func observed(
        _ session: RemoteSession, _ center: NotificationCenter
    ) async throws -> (counter: BoundViewModel<CounterViewModel>, observer: Observer)? {
        let counter = try await session.bound().viewModel(CounterViewModel.self)
        return (counter, center.observe(counter.text) { _ in })
    }

    @Test("whoever is cancelled before the server answered has no connection left")
    func cancelledBefore() async throws {
        let server = try WireServer()
        let binding = Task { try await BinderyClient(server.url).publicSession.bound() }
        let line = try await server.accept()
        binding.cancel()
        await #expect(throws: CancellationError.self) { try await binding.value }
        #expect(try await line.isClosed())
    }

    @Test("loses, doubles and reorders nothing on a line that is cut again and again, in the middle of events")
    func cut() async throws {
        try await served { server, session in
            let line = try BadLine(to: server.url)
            let label = Label()
            // Behind the head: where a line ends within it, Foundation of Swift 6.3 ends the process (swift-corelibs-foundation
            // 5285, mended later).
            line.cutNext(after: (1...60).map { 700 + $0 * 37 % 900 })
            let client = client(at: line.url)
            let remote = client.session(token: try #require(session.token))
            let counter = try await remote.bound(topics: ["counter"]).viewModel(CounterViewModel.self)
            center.observe(counter.text, bindTo: label, \.text)
            for number in 1...60 {
                try await session.viewModel(CounterViewModel.self).act("increment")
                if number.isMultiple(of: 7) { line.cut() }
                if number.isMultiple(of: 5) { #expect(await eventually { label.text == "\(number)" }) }
            }
            #expect(await eventually { label.text == "60" })
            let numbers = label.history.elements.compactMap { Int($0) }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            #expect(line.accepted > 10)
        }
    }

    @Test("an action whose line is cut is done once, and its answer shown")
    func cutActions() async throws {
        try await served { server, session in
            let line = try BadLine(to: server.url)
            let client = client(at: line.url)
            let remote = client.session(token: try #require(session.token))
            let counter = try await remote.bound().viewModel(CounterViewModel.self)
            for number in 1...20 {
                line.cutNext(after: [number.isMultiple(of: 2) ? 0 : Int.max])
                client.closeIdleConnections()
                try await counter.act("increment")
                #expect(counter.text.value == "\(number)")
            }
        }
    }

    @Test("waits for a server that is not there yet")
    func notThereYet() async throws {
        try await served { server, session in
            let line = try BadLine(to: server.url)
            line.isRefusing = true
            let remote = client(at: line.url).session(token: try #require(session.token))
            let binding = Task { try await remote.bound().viewModel(CounterViewModel.self) }
            #expect(await eventually { line.accepted > 3 })
            line.isRefusing = false
            #expect(try await binding.value.text.value == "0")
        }
    }

    /// As `eventually`, on the main actor.
    @MainActor
    private func isSoon(_ condition: () -> Bool) async -> Bool {
        let start = ContinuousClock.now
        while !condition(), ContinuousClock.now - start < .seconds(60) { await Task.yield() }
        return condition()
    }

    @Test("an observable view model tells whoever reads an output that it changes, and nobody else")
    @MainActor
    func observable() async throws {
        try await withServer(viewModels: Catalogue.samples.viewModels) { server in
            let session = try await server.session()
            let counter = ObservableViewModel(try await session.bound().viewModel(CounterViewModel.self))
            #expect(counter.text == "0" && counter.alpha == 0.5)
            let told = History<String>()
            withObservationTracking {
                _ = counter.text
            } onChange: {
                told.note("text")
            }
            try await counter.act("increment")
            #expect(await isSoon { counter.text == "1" && counter.enabled })
            #expect(told.elements == ["text"])
            withObservationTracking {
                _ = counter.enabled
            } onChange: {
                told.note("enabled")
            }
            try await counter.act("increment")
            #expect(await isSoon { counter.text == "2" })
            #expect(told.elements == ["text"])
            #expect(counter.connection.isLive)
        }
    }
}

extension RemoteConnection {
    fileprivate var isLive: Bool { if case .live = self { true } else { false } }
}

@Suite("What is shown of a session")
struct ShownOutputsTests {
    private let place = ShownOutputs.Place(viewModel: "counter", output: "text")

    private func update(_ kind: String, _ cursor: String, _ changes: (seq: Int, text: String)...) throws -> RemoteUpdate
    {
        let entries = changes.map {
            #"{"seq":\#($0.seq),"viewModel":"counter","output":"text","value":"\#($0.text)"}"#
        }
        let kind = kind.split(separator: "/")
        let reason = kind.count > 1 ? #","reason":"\#(kind[1])""# : ""
        let text =
            #"{"kind":"\#(kind[0])"\#(reason),"cursor":"\#(cursor)","changes":[\#(entries.joined(separator: ","))]}"#
        return try JSON.decode(RemoteUpdate.self, from: Array(text.utf8))
    }

    private func answer(_ text: String, _ shown: inout ShownOutputs, at cursor: String) throws -> Bool {
        let outputs = try JSON.decode([String: RawJSON].self, from: Array(#"{"text":"\#(text)"}"#.utf8))
        return !shown.take(outputs, of: "counter", at: try #require(RemoteCursor(cursor))).isEmpty
    }

    private func text(_ shown: ShownOutputs) -> String? {
        shown[place].map { String(decoding: $0.text, as: UTF8.self) }
    }

    @Test("an answer that comes before its delta is shown once, and one that comes late not at all")
    func order() throws {
        var shown = ShownOutputs()
        #expect(shown.take(try update("snapshot/initial", "k3.1", (1, "1"))) == [place])
        #expect(try answer("3", &shown, at: "k3.3"))
        #expect(shown.take(try update("delta", "k3.2", (2, "2"))) == [])
        #expect(shown.take(try update("delta", "k3.3", (3, "3"))) == [])
        #expect(try !answer("2", &shown, at: "k3.2"))
        #expect(text(shown) == "\"3\"")
    }

    @Test("an answer that changes nothing is no change, and what it says is not gone behind")
    func unchanged() throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.1", (1, "1")))
        #expect(try !answer("1", &shown, at: "k3.5"))
        #expect(shown.take(try update("delta", "k3.4", (4, "4"))) == [])
    }

    @Test(
        "an answer of another history is passed over, and a snapshot of it voids larger seqs",
        arguments: ["epoch", "history", "future"])
    func histories(reason: String) throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.9", (9, "9")))
        #expect(try !answer("2", &shown, at: "new.2"))
        #expect(shown.take(try update("snapshot/\(reason)", "new.1", (1, "1"))) == [place])
        #expect(try !answer("9", &shown, at: "k3.10"))
        #expect(try answer("2", &shown, at: "new.2"))
        #expect(text(shown) == "\"2\"")
    }

    @Test("a store that was put back within one history voids larger seqs, too")
    func future() throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.9", (9, "9")))
        #expect(shown.take(try update("snapshot/future", "k3.4", (4, "4"))) == [place])
        #expect(text(shown) == "\"4\"")
    }

    @Test("a line that goes on in another history takes back what only an answer said, and its later seqs count")
    func lostAnswers() throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.1", (1, "1")))
        #expect(try answer("4", &shown, at: "k3.4"))
        #expect(shown.take(try update("delta", "k3.2", (2, "2"))) == [])
        // Put back to what was heard, and gone on with.
        #expect(shown.take(try update("delta", "new.2")) == [place])
        #expect(text(shown) == "\"2\"")
        #expect(shown.take(try update("delta", "new.3", (3, "3"))) == [place])
        #expect(try answer("4", &shown, at: "new.4"))
        // A restart that lost nothing.
        #expect(shown.take(try update("delta", "newer.4", (4, "4"))) == [])
        #expect(text(shown) == "\"4\"")
    }

    @Test("after a loss, a server that is not as far as an answer was has lost what it said")
    func lostWithinOneHistory() throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.1", (1, "1")))
        #expect(try answer("3", &shown, at: "k3.3"))
        // On the same line it may come later.
        #expect(shown.take(try update("delta", "k3.2")) == [])
        shown.lose()
        #expect(shown.take(try update("delta", "k3.1")) == [place])
        #expect(text(shown) == "\"1\"")
        #expect(try answer("2", &shown, at: "k3.2"))
        shown.lose()
        #expect(shown.take(try update("delta", "k3.2", (2, "2"))) == [])
        #expect(text(shown) == "\"2\"")
    }

    @Test("a snapshot that was made before an answer does not go behind it")
    func lateSnapshot() throws {
        var shown = ShownOutputs()
        _ = shown.take(try update("snapshot/initial", "k3.1", (1, "1")))
        #expect(try answer("2", &shown, at: "k3.2"))
        #expect(shown.take(try update("snapshot/initial", "k3.1", (1, "1"))) == [])
        #expect(text(shown) == "\"2\"")
    }
}
