import Binding
import ViewModels

/// A view model without fault, with all that a walk looks at: a body, a refusal, a facet, posts, plain properties.
final class Sound: ViewModel {
    struct Model: StoredModel {
        var words: [String] = []
    }

    struct Entry: Codable, Sendable {
        var word: String
        var count: UInt8?
    }

    static let interface = Interface<Sound>("sound") {
        Output("words", \.words)
        Output("count", \.count)
        Action("add", example: Entry(word: "one"), Sound.add)
            .refusing(.disabled, "It is full.")
        Action("drop", Sound.drop)
            .refusing(.disabled, "It is empty.")
        Action("remove", example: { model in Entry(word: model.words.last ?? "none") }, Sound.remove)
            .refusing(.notFound, "There is no such word.")
        Facet("card", showing: "count")
    }

    func add(_ entry: Entry) throws {
        guard model.words.count < 5 else { throw ActionRefusal.disabled("Full; drop one.") }
        model.words.append(entry.word)
        words.value = model.words
    }

    func drop() throws {
        guard !model.words.isEmpty else { throw ActionRefusal.disabled("Empty; add one.") }
        model.words.removeLast()
        words.value = model.words
    }

    func remove(_ entry: Entry) throws {
        guard let place = model.words.firstIndex(of: entry.word) else { throw ActionRefusal.notFound("Name a word.") }
        model.words.remove(at: place)
        words.value = model.words
    }

    let words: Variable<[String]>
    var count: Int { model.words.count }
    private(set) var model: Model

    init(model: Model) {
        self.model = model
        words = Variable(model.words)
    }
}
