import BinderyKit
import BinderyTesting
import Foundation
import Samples
import Sessions
import Testing
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A server in the test's process")
struct TestServerTests {
    private func served(
        of viewModels: [Declaration] = [.hosting(CounterViewModel.init(model:))],
        _ test: (TestServer, RemoteViewModel<CounterViewModel>) async throws -> Void
    ) async throws {
        try await withServer(viewModels: viewModels) { server in
            try await test(server, try await server.session().viewModel(CounterViewModel.self))
        }
    }

    @Test("a poll of 25 seconds is idle at once when the test moves the clock")
    func clock() async throws {
        try await served { server, counter in
            let cursor = try await counter.session.cursor()
            async let answer = counter.session.poll(since: cursor)
            try await server.waits(in: counter.session)
            server.clock.advance(by: .seconds(25))
            #expect(try await answer.kind == .idle)
        }
    }

    @Test("what sleeps on the clock is counted without what the server itself waits for")
    func sleepers() async throws {
        try await served { server, counter in
            let cursor = try await counter.session.cursor()
            async let answer = counter.session.poll(since: cursor)
            try await server.clock.sleeper(until: .seconds(25))
            let clock = server.clock.clock
            try await clock.sleepers(count: 0)
            async let sleeping: Void = clock.sleep(for: .seconds(1))
            try await clock.sleepers(count: 1)
            server.clock.advance(by: .seconds(25))
            try await sleeping
            #expect(try await answer.kind == .idle)
        }
    }

    @Test("a wait for what does not sleep ends, and says where and what was waited for")
    func nothingSleeps() async {
        let timeline = ManualTimeline(patience: .zero)
        let none = await #expect(throws: NothingCame.self) { try await timeline.clock.sleepers(count: 2) }
        #expect(none?.description.hasSuffix(": 0 tasks sleep on the clock, not 2: until [].") == true)
        #expect(none?.description.hasPrefix("BinderyTestingTests/TestServerTests.swift:") == true)
        await #expect(throws: NothingCame.self) { try await timeline.sleepers(count: 1) }
        await #expect(throws: NothingCame.self) { try await timeline.sleeper(until: .seconds(1)) }
    }

    @Test("a test may have a second server inside, however many have begun together", .timeLimit(.minutes(5)))
    func nested() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await self.served { _, _ in
                        // Until as many as may have their first.
                        await Task.yield()
                        try await self.served { _, counter in
                            let text = try await counter.state().text
                            #expect(text == "0")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a session changes its language, which outlives a restart")
    func language() async throws {
        let login = Declaration.hosting { LoginViewModel(model: $0, language: $1.language) }
        try await withServer(viewModels: [login], languages: Languages(.english, .japanese)) { server in
            let login = try await server.session().viewModel(LoginViewModel.self)
            let history = try await server.history(of: \.text, in: login)
            try await login.session.changeLanguage(to: .japanese)
            #expect(try history.values() == ["Enter your ID and password.", "IDとPasswordを入力してください。"])
            try await server.restart()
            #expect(try await login.state().text == "IDとPasswordを入力してください。")
        }
    }

    /// Speaks two languages, and words what is disabled.
    private enum Program: BinderyProgram {
        static let viewModels: [Declaration] = [
            .hosting { LoginViewModel(model: $0, language: $1.language) }, .hosting(CounterViewModel.init(model:)),
        ]
        static let languages = Languages(.english, .japanese)
        static let version = "2.1"
        static var options: BinderyServer.Options {
            var options = BinderyServer.Options()
            options.port = 1
            options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 1)
            options.service.wording = ProblemWording { problem, _ in
                problem.type == "action-disabled" ? ProblemText(title: "No", detail: "Not now.") : nil
            }
            return options
        }
    }

    private struct Index: Decodable, Equatable {
        let name: String
        let version: String
    }

    @Test("a program is served whole: by its name, in its languages, and as it words problems")
    func program() async throws {
        try await withServer(Program.self) { server in
            let session = try await server.session(language: .japanese)
            #expect(try await session.viewModel(LoginViewModel.self).state().text == "IDとPasswordを入力してください。")
            let problem = await #expect(throws: RemoteProblem.self) {
                try await session.viewModel(CounterViewModel.self).act("decrement")
            }
            #expect(problem?.detail == "Not now.")
            let index = try await URLSession.shared.data(from: server.url).0
            #expect(try JSONDecoder().decode(Index.self, from: index) == Index(name: "Program", version: "2.1"))
        }
    }

    @Test("an idle session leaves memory when the server tidies, and is as it was when it comes back")
    func idle() async throws {
        try await served { server, counter in
            try await counter.act("increment")
            #expect(await server.tidy().evicted == 0)
            server.clock.advance(by: .seconds(60))
            #expect(await server.tidy() == (ended: 0, evicted: 1))
            #expect(server.sessionsInMemory == 0)
            #expect(try await counter.state().text == "1")
        }
    }

    @Test("a session that nobody uses for its time to live ends")
    func expired() async throws {
        try await served { server, counter in
            server.clock.advance(by: .seconds(24 * 60 * 60))
            #expect(await server.tidy().ended == 1)
            let problem = await #expect(throws: RemoteProblem.self) { try await counter.state() }
            #expect(problem?.status == 401)
        }
    }

    @Test("what an output showed over time is all of it, also what was there for a moment only")
    func history() async throws {
        try await served { server, counter in
            try await counter.act("increment")
            let text = try await server.history(of: \.text, in: counter)
            let enabled = try await server.history(of: \.enabled, in: counter)
            for action in ["increment", "decrement", "decrement", "increment"] { try await counter.act(action) }
            try await server.publicSession.viewModel(CounterViewModel.self).act("increment")
            #expect(try text.values() == ["1", "2", "1", "0", "1"])
            #expect(try enabled.values() == [true, false, true])
            #expect(try await text.values(first: 3) == ["1", "2", "1"])
        }
    }

    @Test("an answer that is lost after the commit is thrown, and the action done once, whoever repeats it")
    func droppedAnswer() async throws {
        try await served { server, counter in
            let text = try await server.history(of: \.text, in: counter)
            server.faults.dropNextAnswer()
            let failure = await #expect(throws: RemoteFailure.self) { try await counter.act("increment", key: "a") }
            #expect(failure?.code == .connectionLost)
            #expect(try await counter.act("increment", key: "a").text == "1")
            #expect(try text.values() == ["0", "1"])
        }
    }

    @Test("a client with patience repeats an action whose answer is lost by itself, once and for all")
    func patientClient() async throws {
        try await served { server, counter in
            var options = BinderyClient.Options()
            options.firstPause = .milliseconds(1)
            let client = BinderyClient(server.url, options: options)
            let patient = client.session(token: try #require(counter.session.token)).viewModel(CounterViewModel.self)
            let text = try await server.history(of: \.text, in: counter)
            server.faults.dropNextAnswer()
            #expect(try await patient.act("increment").text == "1")
            #expect(try text.values() == ["0", "1"])
        }
    }

    @Test("a commit that the store refuses is 503, and nothing is changed")
    func refusedCommit() async throws {
        try await served { server, counter in
            server.faults.failNextCommit()
            let problem = await #expect(throws: RemoteProblem.self) { try await counter.act("increment") }
            #expect(problem?.type == "/problems/store-unavailable")
            let state = try await counter.act("increment")
            #expect(try state.text == "1")
        }
    }

    @Test("a commit that is stored though the store does not say so is shown")
    func unknownCommit() async throws {
        try await served { server, counter in
            server.faults.failNextCommit(isStored: true)
            _ = try? await counter.act("increment", key: "a")
            let state = try await counter.act("increment", key: "a")
            #expect(try state.text == "1")
        }
    }

    @Test("while the store is away what is in memory is shown, and what has to be stored is 503")
    func storeAway() async throws {
        try await served { server, counter in
            server.faults.isStoreAway = true
            #expect(try await counter.state().text == "0")
            let problem = await #expect(throws: RemoteProblem.self) { try await counter.act("increment") }
            #expect(problem?.status == 503)
            server.faults.isStoreAway = false
            let state = try await counter.act("increment")
            #expect(try state.text == "1")
        }
    }

    @Test("the model that is stored is had as an older model, and printed as the Swift that makes it")
    func storedModel() async throws {
        try await served { server, counter in
            #expect(try await server.storedModel(of: counter) == nil)
            try await counter.act("increment")
            let model = try #require(try await server.storedModel(of: counter))
            #expect("\(model)" == ##"OlderModel(#"{"count":1}"#)"##)
            let violations = await Declaration.hosting(CounterViewModel.init(model:)).violations(olderModels: [model])
            #expect(violations == [])
        }
    }

    @Test("an older model is printed as Swift that reads back its text, its version and what is gone")
    func olderModelPrinted() {
        let model = OlderModel(##"{"a":"# \#(b)"}"##, version: 2, gone: ["c/d", "b"])
        #expect("\(model)" == ###"OlderModel(##"{"a":"# \#(b)"}"##, version: 2, gone: ["b", "c/d"])"###)
    }

    /// The counter of a build that shows it in another way.
    private final class RomanCounter: ViewModel {
        static let interface = Interface<RomanCounter>("counter") { Output("roman", \.roman) }
        var roman: String { String(repeating: "I", count: model.count) }
        let model: CounterViewModel.Model
        init(model: CounterViewModel.Model) { self.model = model }
    }

    @Test("restarted with another build's view models it goes on with what is stored, and back again")
    func otherBuild() async throws {
        try await served { server, counter in
            for _ in 0..<3 { try await counter.act("increment") }
            try await server.restart(viewModels: [.hosting(RomanCounter.init(model:))])
            #expect(try await counter.session.viewModel(RomanCounter.self).state().roman == "III")
            let failure = await #expect(throws: RemoteFailure.self) { try await counter.state().text }
            #expect(failure?.description.contains("the server has another build") == true)
            try await server.restart(viewModels: [.hosting(CounterViewModel.init(model:))])
            #expect(try await counter.state().text == "3")
        }
    }

    /// Keeps a number that it does not show.
    private final class Vault: ViewModel {
        struct Model: StoredModel { var shown = 0, hidden = 0 }
        static let interface = Interface<Vault>("vault") {
            Output("shown", \.shown)
            Action("show", Vault.show)
            Action("hide", Vault.hide)
        }
        func show() { model.shown += 1 }
        func hide() { model.hidden += 1 }
        var shown: Int { model.shown }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }

    /// The same, by another model and with one more output.
    private final class LaterVault: ViewModel {
        struct Model: StoredModel {
            static let version = 2
            var count = 0, hidden = 0
            static func migrate(_ stored: inout StoredObject, from version: Int) throws {
                stored.rename("shown", to: "count")
            }
        }
        static let interface = Interface<LaterVault>("vault") {
            Output("shown", \.shown)
            Output("twice", \.twice)
            Action("show", LaterVault.show)
            Action("hide", LaterVault.hide)
        }
        func show() { model.count += 1 }
        func hide() { model.hidden += 1 }
        var shown: Int { model.count }
        var twice: Int { 2 * model.count }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }

    @Test("an output's history has each change once, also where the model alone is stored anew, or migrated")
    func historyOnce() async throws {
        try await withServer(viewModels: [.hosting(Vault.init(model:))]) { server in
            let vault = try await server.session().viewModel(Vault.self)
            let shown = try await server.history(of: \.shown, in: vault)
            try await vault.act("show")
            try await vault.act("hide")
            #expect(try shown.values() == [0, 1])
            try await server.restart(viewModels: [.hosting(LaterVault.init(model:))])
            #expect(try await vault.state().shown == 1)
            try await vault.act("hide")
            try await vault.act("hide")
            #expect(try shown.values() == [0, 1])
            try await vault.act("show")
            #expect(try shown.values() == [0, 1, 2])
        }
    }

    @Test("once stopped it refuses whoever asks")
    func stopped() async throws {
        try await served { server, counter in
            await server.stop()
            let failure = await #expect(throws: RemoteFailure.self) { try await counter.state() }
            #expect(failure?.code == .connectionLost)
        }
    }
}
