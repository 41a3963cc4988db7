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
}

extension Session {
    fileprivate func shown(_ place: Int) async throws -> String { String(utf8: try await view(at: place).value.json) }
}
