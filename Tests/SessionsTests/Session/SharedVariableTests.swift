import Binding
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A variable that the view models of two sessions show")
struct SharedVariableTests {
    /// Shows what it was given to share, and adds to it.
    final class Board: ViewModel {
        struct Model: StoredModel {}

        static let interface = Interface<Board>("board") {
            Output("likes", \.likes)
            Action("like", Board.like)
        }

        func like() { likes.value += 1 }

        let likes: Variable<Int>
        let model: Model

        init(model: Model, likes: Variable<Int>) {
            self.model = model
            self.likes = likes
        }
    }

    /// Shows what it was given to share, and refuses half way.
    final class Draft: ViewModel {
        struct Model: StoredModel { var draft = 0 }

        static let interface = Interface<Draft>("draft") {
            Output("likes", \.likes)
            Output("draft", \.draft)
            Action("refuse", Draft.refuse)
        }

        func refuse() throws {
            model.draft += 1
            throw ActionRefusal.disabled("No.")
        }

        var draft: Int { model.draft }
        let likes: Variable<Int>
        private(set) var model: Model

        init(model: Model, likes: Variable<Int>) {
            self.model = model
            self.likes = likes
        }
    }

    /// A session with a board, a counter, and others.
    private func bench(_ board: Declaration, beside others: [Declaration] = []) async throws -> Bench {
        var limits = SessionLimits()
        limits.actionTime = .seconds(5)
        return try await Bench(
            of: Catalogue([board, .hosting(CounterViewModel.init(model:))] + others), limits: limits)
    }

    private func bench(_ likes: Variable<Int>, beside others: [Declaration] = []) async throws -> Bench {
        try await bench(.hosting { model, _ in Board(model: model, likes: likes) }, beside: others)
    }

    @Test("is seen to change by a session that changes it, and by the others in their next turn, whatever that does")
    func both() async throws {
        let likes = Variable(0)
        let bench = try await bench(likes)
        let other = try await bench.registry.begin(language: .japanese).session
        for session in [bench.session, other] { _ = try await session.views() }
        for count in 1...3 {
            let view = try await bench.session.perform(ActionID(0, of: 0))
            #expect(String(utf8: view.json) == #"{"likes":\#(count)}"#)
        }
        #expect(bench.session.cursor.seq == 3)
        #expect(try await other.shown(0) == #"{"likes":0}"#)
        _ = try await other.perform(ActionID(0, of: 1))
        #expect(try await other.shown(0) == #"{"likes":3}"#)
        #expect(other.cursor.seq == 1)
    }

    @Test("is not forgotten where it is set while an action of another session runs that is refused")
    func duringRefusal() async throws {
        let likes = Variable(0)
        let barrier = Barrier()
        defer { barrier.open() }
        let bench = try await Bench(
            of: Catalogue([
                .hosting { model, _ in Board(model: model, likes: likes) },
                .errand {
                    barrier.pass()
                    throw ActionRefusal.disabled("No.")
                }, .hosting(CounterViewModel.init(model:)),
            ]))
        for _ in 0..<2 { _ = try await bench.session.perform(ActionID(0, of: 0)) }
        let refused = Task { try await bench.session.perform(ActionID(0, of: 1)) }
        try await barrier.arrivals()
        likes.value = 7
        barrier.open()
        await #expect(throws: SessionFailure.self) { try await refused.value }
        let cursor = bench.session.cursor
        _ = try await bench.session.perform(ActionID(0, of: 2))
        #expect(try await bench.session.shown(0) == #"{"likes":7}"#)
        #expect(try await bench.session.changes(since: cursor).places.contains { $0.hasSuffix("board.likes") })
    }

    @Test("is not forgotten by an action of another session that is refused meanwhile, nor is its view model made anew")
    func refused() async throws {
        let likes = Variable(0)
        let made = History<Int>()
        let bench = try await Bench(
            of: Catalogue([
                .hosting { (model: Board.Model) in
                    made.note(1)
                    return Board(model: model, likes: likes)
                }, .hosting(CounterViewModel.init(model:)),
            ]))
        let other = try await bench.registry.begin(language: .japanese).session
        for session in [bench.session, other] { _ = try await session.views() }
        // Its model is stored, as that of one that has something under way.
        for session in [bench.session, other] { _ = try await session.perform(ActionID(0, of: 0)) }
        _ = try await other.perform(ActionID(0, of: 0))
        let count = made.elements.count
        let cursor = bench.session.cursor
        // Decrement at zero.
        for _ in 0..<2 {
            await #expect(throws: SessionFailure.self) { try await bench.session.perform(ActionID(1, of: 1)) }
        }
        #expect(made.elements.count == count)
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(try await bench.session.shown(0) == #"{"likes":3}"#)
        #expect(try await bench.session.changes(since: cursor).places.first?.hasSuffix("board.likes") == true)
    }

    /// Keeps what it shows of a shared variable in its model, too, and waits for something of its own meanwhile.
    final class Mirror: ViewModel {
        struct Model: StoredModel { var likes = 0 }

        static let interface = Interface<Mirror>("mirror") {
            Output("likes", \.likes)
            Action("like", Mirror.like)
        }

        func like() { likes.value += 1 }

        let likes: Variable<Int>
        var model: Model { Model(likes: likes.value) }
        /// Set where it is thrown away.
        let end: OnEnd

        init(model: Model, likes: Variable<Int>, end: OnEnd) {
            self.likes = likes
            self.end = end
        }
    }

    /// Notes when it is let go of.
    final class OnEnd {
        let ends: History<Int>
        let number: Int
        init(_ number: Int, in ends: History<Int>) { (self.number, self.ends) = (number, ends) }
        deinit { ends.note(number) }
    }

    @Test(
        "costs no view model that shows it and has it in its model, by an action that is refused after, or while, it was set",
        arguments: [true, false])
    func mirrored(isMeanwhile: Bool) async throws {
        let likes = Variable(0)
        let (made, ends) = (History<Int>(), History<Int>())
        let barrier = Barrier()
        defer { barrier.open() }
        let bench = try await Bench(
            of: Catalogue([
                .hosting { (model: Mirror.Model) in
                    made.note(1)
                    return Mirror(model: model, likes: likes, end: OnEnd(made.elements.count, in: ends))
                },
                .errand {
                    barrier.pass()
                    throw ActionRefusal.disabled("No.")
                },
            ]))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let live = made.elements.count
        for round in 0..<3 {
            if !isMeanwhile { likes.value = 100 + round }
            let refused = Task { try await bench.session.perform(ActionID(0, of: 1)) }
            try await barrier.arrivals()
            if isMeanwhile { likes.value = 100 + round }
            barrier.letOneThrough()
            await #expect(throws: SessionFailure.self) { try await refused.value }
            #expect(!ends.elements.contains(live))
        }
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(try await bench.session.shown(0) == #"{"likes":103}"#)
    }

    /// Keeps a shared number in its model, beside what is its own, and shows that when it is told to.
    final class Sheet: ViewModel {
        struct Model: StoredModel {
            var ratio = 1.0
            var draft = 0
        }

        static let interface = Interface<Sheet>("sheet") {
            Output("ratio", \.ratio)
            Output("published", \.published)
            Action("publish", Sheet.publish)
            Action("refuse", Sheet.refuse)
            Action("refuseLate", Sheet.refuseLate)
        }

        func publish() { shown.value = draft * 10 + hidden }

        func refuse() throws {
            draft += 1
            throw ActionRefusal.disabled("No.")
        }

        func refuseLate() throws {
            ratio.value += 1
            hidden += 1
            throw ActionRefusal.disabled("No.")
        }

        let ratio: Variable<Double>
        var published: Constant<Int> { Constant(shown) }
        private let shown = Variable(0)
        private var draft: Int
        private var hidden = 0
        var model: Model { Model(ratio: ratio.value, draft: draft) }

        init(model: Model, ratio: Variable<Double>) {
            self.ratio = ratio
            draft = model.draft
        }
    }

    /// What its own action had done when it refused.
    enum Refusal: CaseIterable { case modelUnencodable, twice, behindAnother, late }

    @Test(
        "keeps nothing of a refusal of its own view model, whatever others have set it to", arguments: Refusal.allCases)
    func refusedUnseen(refusal: Refusal) async throws {
        let ratio = Variable(1.0)
        let session = try await bench(
            .hosting { (model: Sheet.Model) in Sheet(model: model, ratio: ratio) },
            beside: [
                .errand {
                    ratio.value = .nan
                    throw ActionRefusal.disabled("No.")
                }
            ]
        ).session
        func refuse(_ action: ActionID) async {
            await #expect(throws: SessionFailure.self) { try await session.perform(action) }
        }
        ratio.value = 2
        _ = try await session.perform(ActionID(0, of: 0))
        if refusal == .modelUnencodable || refusal == .twice { ratio.value = .nan }
        if refusal == .behindAnother { await refuse(ActionID(0, of: 2)) }
        for _ in 0..<(refusal == .twice ? 2 : 1) { await refuse(ActionID(refusal == .late ? 2 : 1, of: 0)) }
        ratio.value = 3
        let view = try await session.perform(ActionID(0, of: 0))
        #expect(String(utf8: view.json) == #"{"ratio":3,"published":0}"#)
    }

    @Test(
        "is told of as a change to who comes back after the session left memory, touched or not",
        arguments: [true, false])
    func evicted(isTouched: Bool) async throws {
        let likes = Variable(0)
        let bench = try await bench(likes)
        if isTouched { _ = try await bench.session.perform(ActionID(0, of: 0)) }
        let before = try await bench.session.view(at: 0).value
        let old = bench.session.cursor
        likes.value = 7
        bench.timeline.advance(by: .seconds(120))
        _ = await bench.registry.evictIdle()
        let found = try await bench.found()
        #expect(found !== bench.session)
        // By a poll alone: nobody looks at the board.
        let answer = try await found.changes(since: old)
        #expect(answer.places.first?.hasSuffix("board.likes") == true)
        let after = try await found.view(at: 0).value
        #expect(String(utf8: after.json) == #"{"likes":7}"#)
        #expect(after.entityTag != before.entityTag)
        // And once.
        #expect(try await found.changes(since: found.cursor).kind == "idle")
    }

    @Test("is not forgotten where its view model was thrown away with another's action that took too long")
    func timedOut() async throws {
        let likes = Variable(0)
        let barrier = Barrier()
        defer { barrier.open() }
        let bench = try await bench(likes, beside: [.errand { barrier.pass() }])
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let hung = Task { try await bench.session.perform(ActionID(0, of: 2)) }
        try await barrier.arrivals()
        likes.value = 7
        try await bench.timeline.sleeper(until: .seconds(5))
        bench.timeline.advance(by: .seconds(5))
        await #expect(throws: SessionFailure.self) { try await hung.value }
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(try await bench.session.shown(0) == #"{"likes":7}"#)
        likes.value = 9
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(try await bench.session.shown(0) == #"{"likes":9}"#)
    }

    @Test("is not forgotten where its view model was thrown away with a commit that failed")
    func notStored() async throws {
        let likes = Variable(0)
        let bench = try await bench(likes)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        bench.store.next(.commit, .refuse)
        likes.value = 7
        await #expect(throws: SessionFailure.self) { try await bench.session.perform(ActionID(0, of: 1)) }
        for count in 8...9 {
            _ = try await bench.session.perform(ActionID(0, of: 1))
            #expect(try await bench.session.shown(0) == #"{"likes":\#(count - 1)}"#)
            likes.value = count
        }
    }

    @Test("is told of once the store takes commits again")
    func refusedByStore() async throws {
        let likes = Variable(0)
        let bench = try await bench(likes)
        let old = bench.session.cursor
        likes.value = 7
        bench.store.next(.commit, .refuse)
        await #expect(throws: SessionFailure.self) { try await bench.session.changes(since: old) }
        #expect(try await bench.session.changes(since: old).places == ["1 board.likes"])
    }

    @Test("is told of by an older build, too, that shows what a later one stored")
    func older() async throws {
        let likes = Variable(0)
        let store = ScriptedStore(MemoryStore(isShared: true))
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let board = Declaration.hosting { model, _ in Board(model: model, likes: likes) }
        let later = Declaration.hosting { model, _ in LaterBoard(model: model, likes: likes) }
        let bench = try await Bench(of: Catalogue([board, counter]), store: store)
        let there = try #require(
            try await bench.replica(of: Catalogue([later, counter])).session(for: bench.token).value)
        _ = try await there.perform(ActionID(0, of: 0))
        _ = try await bench.session.view(at: 0).value
        for count in 7...8 {
            likes.value = count
            _ = try await bench.session.perform(ActionID(0, of: 1))
            #expect(try await bench.session.shown(0) == #"{"likes":\#(count)}"#)
        }
    }

    /// The board of a later build, which stores what it shows.
    private final class LaterBoard: ViewModel {
        struct Model: StoredModel {
            var acts = 0
            static let version = 2
        }

        static let interface = Interface<LaterBoard>("board") {
            Output("likes", \.likes)
            Action("act", LaterBoard.act)
        }

        func act() { model.acts += 1 }
        let likes: Variable<Int>
        private(set) var model: Model
        init(model: Model, likes: Variable<Int>) {
            self.model = model
            self.likes = likes
        }
    }

    @Test("is not forgotten where its own view model refuses after it has changed its model")
    func ownRefusal() async throws {
        let likes = Variable(0)
        let bench = try await bench(.hosting { model, _ in Draft(model: model, likes: likes) })
        _ = try await bench.session.view(at: 0).value
        await #expect(throws: SessionFailure.self) { try await bench.session.perform(ActionID(0, of: 0)) }
        likes.value = 3
        _ = try await bench.session.perform(ActionID(0, of: 1))
        #expect(try await bench.session.shown(0) == #"{"likes":3,"draft":0}"#)
    }
}

extension Session {
    fileprivate func shown(_ place: Int) async throws -> String { String(utf8: try await view(at: place).value.json) }
}
