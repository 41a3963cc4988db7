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

    @Test("is seen to change by whichever session changes it, and by both when their turn comes")
    func both() async throws {
        let likes = Variable(0)
        let bench = try await Bench(of: Catalogue([.hosting { model, _ in Board(model: model, likes: likes) }]))
        let other = try await bench.registry.begin(language: .standard).session
        for session in [bench.session, other] { _ = try await session.view(at: 0) }
        let first = try await bench.session.perform(0, of: 0)
        #expect(String(utf8: first.json) == #"{"likes":1}"#)
        #expect(bench.session.cursor.seq == 1)
        let second = try await other.perform(0, of: 0)
        #expect(String(utf8: second.json) == #"{"likes":2}"#)
        #expect(other.cursor.seq == 1)
        let third = try await bench.session.perform(0, of: 0)
        #expect(String(utf8: third.json) == #"{"likes":3}"#)
    }
}
