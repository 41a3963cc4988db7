import BinderyTesting
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("The client and a server")
struct ServedTests {
    private func served(over store: any SessionStore = MemoryStore(), _ test: (TestServer) async throws -> Void)
        async throws
    {
        try await withServer(viewModels: Catalogue.samples.viewModels, store: store, test)
    }

    private func problem(_ body: () async throws -> Void) async throws -> RemoteProblem {
        try #require(await #expect(throws: RemoteProblem.self) { try await body() })
    }

    @Test("outputs have the types that they are declared with: constants, plain properties, null")
    func types() async throws {
        try await served { server in
            let session = try await server.session()
            let counter = try await session.viewModel(CounterViewModel.self).state()
            #expect(try counter.text == "0")
            #expect(try !counter.enabled)
            #expect(try counter.alpha == 0.5)
            let orientation = session.viewModel(ObservedOrientationViewModel.self)
            #expect(try await !orientation.state().isLandscape)
            #expect(try await orientation.act("change", OrientationChange(.landscapeLeft)).isLandscape)
            #expect(try await session.viewModel(LoginViewModel.self).state().color == nil)
            #expect(try await session.viewModel(GreetingViewModel.self).act("increase-title").title == "Hello, world!!")
        }
    }

    @Test("sessions are each their own, in their language, and the public one is everybody's")
    func sessions() async throws {
        try await served { server in
            let english = try await server.session(language: .english).viewModel(LoginViewModel.self)
            #expect(
                try await english.act("validate", LoginViewModel.Credentials()).text == "ID and password are missing.")
            let mine = try await server.session()
            try await mine.viewModel(CounterViewModel.self).act("increment")
            let counter = server.publicSession.viewModel(CounterViewModel.self)
            #expect(try await counter.state().text == "0")
            let again = server.client.session(token: try #require(mine.token)).viewModel(CounterViewModel.self)
            #expect(try await again.state().text == "1")
        }
    }

    @Test("a session shows what it is, and what its view models show")
    func shown() async throws {
        try await served { server in
            let session = try await server.session()
            try await session.viewModel(CounterViewModel.self).act("increment")
            let shown = try await session.show()
            #expect(shown.id == session.id && !shown.isPublic)
            #expect(shown.names.contains("counter") && shown.expiresIn == .seconds(86_400))
            let counter = try #require(shown.state(of: CounterViewModel.self))
            #expect(try counter.text == "1" && counter.enabled)
            #expect(try await server.publicSession.show().isPublic)
        }
    }

    @Test("a facet shows its outputs, and whoever reads another is told so")
    func facet() async throws {
        try await served { server in
            let card = try await server.publicSession.viewModel(ProfileViewModel.self).state(facet: "card")
            #expect(try card.paramB == "")
            let failure = #expect(throws: RemoteFailure.self) { try card.paramA }
            #expect(
                failure?.description.hasPrefix("profile was answered without paramA: a facet does not show it") == true)
        }
    }

    @Test("a property that is no output is told, with those that are")
    func undeclared() async throws {
        try await served { server in
            let state = try await server.publicSession.viewModel(CounterViewModel.self).state()
            let failure = #expect(throws: RemoteFailure.self) { try state.model }
            #expect(failure?.code == .undeclared)
            #expect(failure?.description.hasSuffix("the interface declares: text, enabled, alpha.") == true)
        }
    }

    @Test("a disabled action is 409, with the state in which it was refused")
    func disabled() async throws {
        try await served { server in
            let counter = try await server.session().viewModel(CounterViewModel.self)
            let problem = try await problem { try await counter.act("decrement") }
            #expect(problem.status == 409 && problem.type == "/problems/action-disabled")
            #expect(problem.detail == "The counter is at zero; increment it first.")
            #expect("\(problem)" == "POST /counter/decrement: 409 action-disabled: \(problem.detail)")
            let state = try await counter.state()
            #expect(try problem.state(of: CounterViewModel.self) == state)
            #expect(problem.instance != nil && problem.pointer == nil && problem.members["state"] != nil)
        }
    }

    @Test("a body of another shape is 422, and the pointer says where")
    func wrongShape() async throws {
        try await served { server in
            let profile = server.publicSession.viewModel(ProfileViewModel.self)
            let problem = try await problem { try await profile.act("load", ["paramA": "one"]) }
            #expect(problem.status == 422 && problem.pointer == "#/paramA")
            #expect("\(problem)".hasSuffix("(#/paramA)"))
        }
    }

    @Test("an action that is not there is 404, with the nearest")
    func unknownAction() async throws {
        try await served { server in
            let problem = try await problem {
                try await server.publicSession.viewModel(CounterViewModel.self).act("incremnt")
            }
            #expect(problem.status == 404 && problem.detail.contains("/counter/increment"))
        }
    }

    @Test("what others changed is 412 for who says where he stood, and nothing is changed")
    func precondition() async throws {
        try await served { server in
            let counter = try await server.session().viewModel(CounterViewModel.self)
            let seen = try await counter.state()
            #expect(try await counter.act("increment", ifMatch: seen.cursor).text == "1")
            #expect(try await problem { try await counter.act("increment", ifMatch: seen.cursor) }.status == 412)
            #expect(try await counter.state().text == "1")
        }
    }

    @Test("after its end a session is 401 for all that is asked of it")
    func ended() async throws {
        try await served { server in
            let session = try await server.session()
            try await session.end()
            for ask in [
                { _ = try await session.cursor() }, { _ = try await session.poll() }, { try await session.end() },
                { _ = try await session.viewModel(CounterViewModel.self).act("increment") },
            ] { #expect(try await problem(ask).type == "/problems/session-unknown") }
        }
    }

    @Test("one key is one action, and a body under it another is 422")
    func key() async throws {
        try await served { server in
            let session = try await server.session()
            let counter = session.viewModel(CounterViewModel.self)
            for _ in 0..<2 { #expect(try await counter.act("increment", key: "a").text == "1") }
            #expect(
                try await problem { try await counter.act("decrement", key: "a") }.type
                    == "/problems/idempotency-mismatch")
        }
    }
}
