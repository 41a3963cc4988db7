import BinderyKit

/// A list that grows by one entry at a time, and is cleared as a whole.
final class BoardViewModel: ViewModel {
    /// All that is stored; the view model is made anew from it after a restart.
    struct Model: StoredModel {
        var entries: [String] = []
    }

    /// The body of `add`.
    struct Entry: Codable, Sendable {
        var text: String
    }

    static let mostEntries = 100

    static let interface = Interface<BoardViewModel>("board", "A list of entries.") {
        Output("entries", \.entries, "The entries, the oldest first.")
        Output("canClear", \.canClear, "Whether there is anything to clear.")
        Action("add", "Adds an entry.", example: Entry(text: "Milk"), BoardViewModel.add)
            .refusing(.invalid, "The entry has no text.")
            .refusing(.disabled, "The list is full.")
        Action("clear", "Removes all entries.", BoardViewModel.clear)
            .refusing(.disabled, "There is nothing to clear.")
    }

    // Inputs

    func add(_ entry: Entry) throws {
        guard entry.text.contains(where: { !$0.isWhitespace }) else {
            throw ActionRefusal.invalid("Type a text.", at: \.text, of: entry)
        }
        guard model.entries.count < Self.mostEntries else {
            throw ActionRefusal.disabled("There are \(Self.mostEntries) entries; clear the list first.")
        }
        model.entries.append(entry.text)
    }

    func clear() throws {
        guard canClear else { throw ActionRefusal.disabled("There is nothing to clear; add an entry first.") }
        model.entries = []
    }

    // Outputs

    var entries: [String] { model.entries }
    var canClear: Bool { !model.entries.isEmpty }

    // Wiring

    private(set) var model: Model
    init(model: Model) { self.model = model }
}
