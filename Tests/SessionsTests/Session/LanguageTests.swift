import Samples
import StandIns
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A session's language")
struct LanguageTests {
    private static let prompt = #"{"text":"Enter your ID and password.","color":null}"#

    @Test("changes all outputs that differ by one commit, and no cursor loses its place")
    func outputs() async throws {
        let bench = try await Bench()
        let session = bench.session
        try await session.act("counter/increment")
        try await session.act("login/validate", #"{"id":"i"}"#)
        let before = session.cursor
        let poll = await session.poll(since: before)
        try await session.changeLanguage(to: .english)
        #expect(session.language == .english)
        let said = try Said(await poll.value)
        #expect(said.kind == "delta")
        #expect(said.places == ["3 login.text"])
        #expect(try await session.shown("login") == #"{"text":"Password is missing.","color":"red"}"#)
        let commit = try #require(bench.store.commits.last)
        #expect(commit.language == .english)
        #expect(commit.viewModels.map(\.name) == ["login"])
        #expect(commit.base == bench.store.commits.dropLast().last?.head.version)
    }

    @Test("is the one in which view models act from then on")
    func acts() async throws {
        let session = try await Bench().session
        try await session.act("login/validate", #"{"id":"i"}"#)
        try await session.changeLanguage(to: .english)
        #expect(
            String(utf8: try await session.act("login/validate", "{}").json).contains("ID and password are missing."))
        try await session.changeLanguage(to: .japanese)
        #expect(String(utf8: try await session.act("login/validate", "{}").json).contains("未入力"))
    }

    @Test("is told of view models that nobody has touched, too, and leaves the others alone")
    func untouched() async throws {
        let bench = try await Bench()
        let before = bench.session.cursor
        // Kept from then on.
        _ = try await bench.session.shown("login")
        try await bench.session.changeLanguage(to: .english)
        #expect(try await bench.session.changes(since: before).places == ["1 login.text"])
        #expect(try await bench.session.shown("login") == Self.prompt)
        #expect(bench.census["counter"] == 0)
    }

    @Test("that is spoken already changes nothing")
    func same() async throws {
        let bench = try await Bench()
        try await bench.session.changeLanguage(to: .japanese)
        #expect(bench.store.commits.count == 1)
        #expect(bench.session.cursor.seq == 0)
    }

    @Test("is stored also where nothing is shown otherwise")
    func nothingDiffers() async throws {
        let catalogue = Catalogue(
            [.hosting(CounterViewModel.init(model:))], languages: Languages(.japanese, .english))
        let bench = try await Bench(of: catalogue)
        let cursor = bench.session.cursor
        try await bench.session.changeLanguage(to: .english)
        #expect(bench.session.cursor == cursor)
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(there.language == .english)
    }

    @Test("outlives eviction and restart")
    func outlives() async throws {
        let bench = try await Bench()
        try await bench.session.act("login/validate", "{}")
        try await bench.session.changeLanguage(to: .english)
        let cursor = bench.session.cursor
        bench.timeline.advance(by: .seconds(120))
        _ = await bench.registry.evictIdle()
        let (evicted, restarted) = (try await bench.found(), try await bench.replica().session(for: bench.token).value)
        for session in [evicted, try #require(restarted)] {
            #expect(session.language == .english)
            #expect(session.cursor == cursor)
            #expect(try await session.changes(since: cursor).kind == "idle")
            #expect(try await session.shown("login").contains("ID and password are missing."))
        }
        #expect(
            String(utf8: try await restarted?.act("login/validate", #"{"id":"i"}"#).json ?? []).contains("Password is"))
    }

    @Test("is taken over by a replica that holds the session, which then acts in it")
    func otherReplica() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let here = bench.session
        try await here.act("login/validate", "{}")
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        try await there.act("login/validate", #"{"id":"i"}"#)
        let poll = await there.poll()
        try await here.changeLanguage(to: .english)
        #expect(try Said(await poll.value).changes.map(\.value) == [.string("Password is missing.")])
        #expect(there.language == .english)
        #expect(try await there.shown("login").contains("Password is missing."))
        #expect(String(utf8: try await there.act("login/validate", "{}").json).contains("ID and password are missing."))
        #expect(there.cursor.seq == 4)
    }

    @Test("is changed after what another replica has done meanwhile")
    func conflict() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        try await bench.session.act("login/validate", "{}")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let change = Task.immediate { try await bench.session.changeLanguage(to: .english) }
        await gate.arrivals()
        try await there.act("login/validate", #"{"id":"i"}"#)
        gate.open()
        try await change.value
        #expect(try await bench.session.shown("login").contains("Password is missing."))
        #expect(try await there.shown("login").contains("Password is missing."))
    }

    @Test("stays as it was where the store does not take it, also for who acts next")
    func refused() async throws {
        let bench = try await Bench()
        let session = bench.session
        try await session.act("login/validate", "{}")
        bench.store.next(.commit, .refuse)
        #expect(await failure { try await session.changeLanguage(to: .english) } == "unavailable")
        #expect(session.language == .japanese)
        #expect(String(utf8: try await session.act("login/validate", #"{"id":"i"}"#).json).contains("未入力"))
    }

    @Test("is the new one where the store took it and could not say so")
    func unknown() async throws {
        let bench = try await Bench()
        let session = bench.session
        try await session.act("login/validate", "{}")
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await session.changeLanguage(to: .english) } == "unavailable")
        #expect(try await session.shown("login").contains("missing"))
        #expect(session.language == .english)
    }

    @Test("is changed on what was submitted before, and acted in before it is stored")
    func pipelined() async throws {
        let bench = try await Bench()
        let session = bench.session
        try session.prove("login/validate")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let first = Task.immediate { try await session.act("login/validate", "{}") }
        let change = Task.immediate { try await session.changeLanguage(to: .english) }
        let second = Task.immediate { try await session.act("login/validate", #"{"id":"i"}"#) }
        gate.open()
        #expect(String(utf8: try await first.value.json).contains("未入力"))
        try await change.value
        #expect(String(utf8: try await second.value.json).contains("Password is missing."))
        #expect(bench.store.commits.map(\.language) == [.japanese, .japanese, .english, .english])
    }

    @Test("of an ended session is not changed")
    func ended() async throws {
        let bench = try await Bench()
        try await bench.registry.end(bench.session)
        #expect(await failure { try await bench.session.changeLanguage(to: .english) } == "ended")
    }

    @Test("of the public session is everybody's")
    func publicSession() async throws {
        let bench = try await Bench()
        let session = try await bench.registry.publicSession().value
        await #expect(throws: RegistryFailure.isPublic) { try await session.changeLanguage(to: .english) }
    }

    @Test("counts as an action where these are bounded")
    func bounded() async throws {
        var limits = SessionLimits()
        limits.actionsPerSecond = 1
        let session = try await Bench(limits: limits).session
        try await session.changeLanguage(to: .english)
        #expect(await failure { try await session.changeLanguage(to: .japanese) } == "tooManyActions(1)")
    }

    @Test("an earlier build changes also what a later one derived, and that one says it in its own words again")
    func later() async throws {
        let bench = try await Bench(of: .saying(version: 1), store: ScriptedStore(MemoryStore(isShared: true)))
        let here = bench.session
        let there = try #require(try await bench.replica(of: .saying(version: 2)).session(for: bench.token).value)
        try await there.act("saying/bump")
        #expect(try await here.shown("saying") == #"{"text":"2 ja 1"}"#)
        try await here.changeLanguage(to: .english)
        #expect(try await here.shown("saying") == #"{"text":"1 en 1"}"#)
        #expect(try await there.shown("saying") == #"{"text":"2 en 1"}"#)
        // And there it rests.
        #expect(try await here.shown("saying") == #"{"text":"2 en 1"}"#)
        let cursor = here.cursor
        #expect(try await there.shown("saying") == #"{"text":"2 en 1"}"#)
        #expect(try await here.changes(since: cursor).kind == "idle")
    }
}

/// Says its build and its language.
private final class SayingViewModel<B: SayingBuild>: ViewModel {
    struct Model: StoredModel {
        var count = 0
        static var version: Int { B.version }
    }

    static var interface: Interface<SayingViewModel<B>> {
        Interface<SayingViewModel<B>>("saying") {
            Output("text", \.text)
            Action("bump", SayingViewModel.bump)
        }
    }

    var text: String { "\(B.version) \(language) \(model.count)" }
    private(set) var model: Model
    private let language: Language

    init(model: Model, language: Language) { (self.model, self.language) = (model, language) }

    func bump() { model.count += 1 }
}

private protocol SayingBuild: SendableMetatype { static var version: Int { get } }
private enum FirstSaying: SayingBuild { static let version = 1 }
private enum SecondSaying: SayingBuild { static let version = 2 }

extension Catalogue {
    fileprivate static func saying(version: Int) -> Catalogue {
        let declaration: Declaration =
            version == 1
            ? .hosting { SayingViewModel<FirstSaying>(model: $0, language: $1.language) }
            : .hosting { SayingViewModel<SecondSaying>(model: $0, language: $1.language) }
        return Catalogue([declaration], languages: Languages(.japanese, .english))
    }
}
