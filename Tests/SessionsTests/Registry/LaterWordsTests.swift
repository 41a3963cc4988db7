import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("What a later build derived")
struct LaterWordsTests {
    private final class Words<Build: WordsBuild>: ViewModel {
        static var interface: Interface<Words> {
            Interface<Words>("words") {
                Output("text", \.text)
                Action("nothing", Words.nothing)
                Action("add", Words.add)
            }
        }

        func nothing() {}
        func add() { model.count += 1 }

        var text: String { "\(Build.word) \(model.count)" }
        private(set) var model: Build.Model

        init(model: Build.Model) { self.model = model }
    }

    @Test("stays as it is where an earlier one runs an action that changes nothing")
    func nothing() async throws {
        let bench = try await Bench(
            of: Catalogue([.hosting(Words<Earlier>.init(model:))]),
            store: ScriptedStore(MemoryStore(isShared: true)))
        let later = Catalogue([.hosting(Words<Later>.init(model:))])
        let other = try #require(try await bench.replica(of: later).session(for: bench.token).value)
        let tag = try await other.perform(ActionID(1, of: 0)).entityTag
        let view = try await bench.session.perform(ActionID(0, of: 0))
        #expect(String(utf8: view.json) == #"{"text":"new 1"}"#)
        #expect(view.entityTag == tag)
        #expect(String(utf8: try await bench.session.perform(ActionID(1, of: 0)).json) == #"{"text":"old 2"}"#)
    }
}

private protocol WordsBuild: SendableMetatype {
    associatedtype Model: StoredModel & Counted
    static var word: String { get }
}

private protocol Counted { var count: Int { get set } }

private enum Earlier: WordsBuild {
    struct Model: StoredModel, Counted { var count = 0 }
    static let word = "old"
}

private enum Later: WordsBuild {
    struct Model: StoredModel, Counted {
        static let version = 2
        var count = 0
    }
    static let word = "new"
}
