import Binding
import Sessions
import TestSupport
import Testing
import ViewModels

/// The counter as builds of another day have it: with its own words for the same number.
private final class WordyViewModel: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<WordyViewModel>("counter") {
        Output("text", \.text)
        Output("enabled", \.enabled)
        Output("alpha", \.alpha)
        Action("increment", WordyViewModel.increment)
    }

    func increment() {
        model.count += 1
        shown.value = words(model.count)
        isEnabled.value = true
        opacity.value = 1
    }

    let text: Constant<String>
    let enabled: Constant<Bool>
    let alpha: Constant<Double>
    private(set) var model: Model
    private let words: @Sendable (Int) -> String
    private let shown: Variable<String>
    private let isEnabled: Variable<Bool>
    private let opacity: Variable<Double>

    init(model: Model, opacity: Double = 1, words: @escaping @Sendable (Int) -> String) {
        self.model = model
        self.words = words
        shown = Variable(words(model.count))
        isEnabled = Variable(model.count > 0)
        self.opacity = Variable(model.count > 0 ? opacity : 0.5)
        text = Constant(shown)
        enabled = Constant(isEnabled)
        alpha = Constant(self.opacity)
    }
}

/// The counter as a build has it that cannot read what others stored.
private final class ForeignViewModel: ViewModel {
    struct Model: StoredModel { var count = "" }

    static let interface = Interface<ForeignViewModel>("counter") {
        Output("text", \.text)
        Output("enabled", \.enabled)
        Output("alpha", \.alpha)
    }

    let text = Constant(value: "?")
    let enabled = Constant(value: false)
    let alpha = Constant(value: 0.0)
    let model: Model

    init(model: Model) { self.model = model }
}

extension Catalogue {
    /// A build whose counter speaks otherwise.
    fileprivate static func speaking(_ words: @escaping @Sendable (Int) -> String) -> Catalogue {
        Catalogue([Declaration(WordyViewModel.self) { model, _ in WordyViewModel(model: model, words: words) }])
    }

    /// A build whose counter shows what is no JSON.
    fileprivate static let unwritable = Catalogue([
        Declaration(WordyViewModel.self) { model, _ in WordyViewModel(model: model, opacity: .nan) { "\($0)" } }
    ])

    fileprivate static let foreign = Catalogue([
        Declaration(ForeignViewModel.self) { model, _ in ForeignViewModel(model: model) }
    ])
}

@Suite("A session that another build reads")
struct DerivationTests {
    private static let numbers = Catalogue.speaking { "\($0)" }
    private static let words = Catalogue.speaking { "no. \($0)" }

    private func shown(_ session: Session) async throws -> String {
        String(utf8: try await session.view(at: 0).value.json)
    }

    @Test("shows what that build derives; the change has a number of its own, and old cursors are told")
    func derivesOtherwise() async throws {
        let bench = try await Bench(of: Self.numbers)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let old = bench.session.cursor
        let there = try #require(try await bench.replica(of: Self.words).session(for: bench.token).value)
        #expect(there.cursor == Cursor(epoch: old.epoch, seq: old.seq + 1))
        #expect(try await shown(there) == #"{"text":"no. 1","enabled":true,"alpha":1}"#)
        #expect(try await there.changes(since: old).places == ["2 counter.text"])
        #expect(try await bench.store.load(bench.session.id)?.head.seq == 2)
    }

    @Test("was begun anew by another build: whoever followed it there is told what this build shows untouched")
    func begunAnew() async throws {
        let ticking = Catalogue.ticking(Springs()).viewModels
        let here = Catalogue(Self.numbers.viewModels + ticking)
        let there = Catalogue(Catalogue.speaking { $0 == 0 ? "none" : "\($0)" }.viewModels + ticking)
        let bench = try await Bench(of: here, store: ScriptedStore(MemoryStore(isShared: true)))
        let old = try await bench.registry.publicSession().value
        _ = try await old.perform(ActionID(0, of: 0))
        // Shows the same, as long as it is touched.
        let other = try await bench.replica(of: there).publicSession().value
        #expect(other.cursor == old.cursor)
        try await bench.registry.end(old)
        let new = try await bench.registry.publicSession().value
        for _ in 0..<3 { _ = try await new.perform(ActionID(0, of: 1)) }
        #expect(try await shown(new) == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        let said = try await other.changes(since: new.cursor)
        #expect(said.places == ["4 counter.text", "4 counter.enabled", "4 counter.alpha"])
        #expect(try await shown(other) == #"{"text":"none","enabled":false,"alpha":0.5}"#)
    }

    @Test("is committed once: the next who reads it finds it as it is")
    func once() async throws {
        let bench = try await Bench(of: Self.numbers)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        for _ in 0..<3 {
            #expect(try await bench.replica(of: Self.words).session(for: bench.token).value?.cursor.seq == 2)
        }
    }

    @Test("derives the same: nothing is committed")
    func derivesTheSame() async throws {
        let bench = try await Bench(of: Self.numbers)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let commits = bench.store.count(of: .commit)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        #expect(try await bench.found().cursor.seq == 1)
        #expect(bench.store.count(of: .commit) == commits)
    }

    @Test("is left as it is where that build cannot read the model, and shows nothing of it")
    func foreignModel() async throws {
        let bench = try await Bench(of: Self.numbers)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let before = try #require(try await bench.store.load(bench.session.id))
        let there = try #require(try await bench.replica(of: .foreign).session(for: bench.token).value)
        #expect(await failure { try await there.view(at: 0).value } == "unreadable")
        #expect(there.cursor == bench.session.cursor)
        #expect(try await bench.store.load(bench.session.id) == before)
    }

    @Test(
        "keeps showing what was stored where that build's outputs cannot be written, and the others are as they should be"
    )
    func unwritable() async throws {
        let before = Catalogue(Self.numbers.viewModels + Catalogue.ticking(Springs()).viewModels)
        let after = Catalogue(Catalogue.unwritable.viewModels + Catalogue.ticking(Springs()).viewModels)
        let bench = try await Bench(of: before)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        let registry = bench.replica(of: after)
        for _ in 0..<2 {
            let there = try #require(try await registry.session(for: bench.token).value)
            #expect(try await shown(there) == #"{"text":"1","enabled":true,"alpha":1}"#)
            #expect(String(utf8: try await there.view(at: 1).value.json) == #"{"ticks":1}"#)
            #expect(there.cursor == bench.session.cursor)
        }
    }

    @Test("is not shown before what is derived otherwise is stored; whoever asks next stores it")
    func notStored() async throws {
        let bench = try await Bench(of: Self.numbers)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let store = ScriptedStore(bench.store.behind)
        let registry = SessionRegistry(catalogue: Self.words, store: store, timeline: bench.timeline)
        store.next(.commit, .refuse)
        #expect(await failure { try await registry.session(for: bench.token).value } == "unavailable")
        #expect(registry.session(for: bench.token).known == nil)
        let found = try #require(try await registry.session(for: bench.token).value)
        #expect(try await shown(found) == #"{"text":"no. 1","enabled":true,"alpha":1}"#)
        #expect(found.cursor.seq == 2)
        #expect(registry.session(for: bench.token).known.flatMap(\.self) === found)
    }
}
