import Binding
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

    @Test("is seen to change by a session that changes it, and by the others in their next turn, whatever that does")
    func both() async throws {
        let likes = Variable(0)
        let bench = try await Bench(
            of: Catalogue([
                .hosting { model, _ in Board(model: model, likes: likes) }, .hosting(CounterViewModel.init(model:)),
            ]))
        let other = try await bench.registry.begin(language: .standard).session
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
        let other = try await bench.registry.begin(language: .standard).session
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
}

extension Session {
    fileprivate func shown(_ place: Int) async throws -> String { String(utf8: try await view(at: place).value.json) }
}
