import BinderyKit

/// A list that grows by one entry at a time, and is cleared as a whole.
struct ShoppingList: ViewModel {
    /// Stored properties survive a restart.
    var entries: [String] = []

    /// The body of `add`.
    struct Entry: Codable, Sendable {
        var text: String
    }

    static let mostEntries = 100

    var canClear: Bool { !entries.isEmpty }

    mutating func add(_ entry: Entry) throws {
        guard entry.text.contains(where: { !$0.isWhitespace }) else {
            throw Refusal.invalid("Type a text.", at: "text")
        }
        guard entries.count < Self.mostEntries else {
            throw Refusal.disabled("There are \(Self.mostEntries) entries; clear the list first.")
        }
        entries.append(entry.text)
    }

    mutating func clear() throws {
        guard canClear else { throw Refusal.disabled("There is nothing to clear; add an entry first.") }
        entries = []
    }

    static let interface = Interface<ShoppingList>("shopping-list", "A list of entries.") {
        Output("entries", \.entries, "The entries, the oldest first.")
        Output("canClear", \.canClear, "Whether there is anything to clear.")
        Action("add", "Adds an entry.", example: Entry(text: "Milk")) { try $0.add($1) }
            .refusing(.invalid, "The entry has no text.")
            .refusing(.disabled, "The list is full.")
        Action("clear", "Removes all entries.") { try $0.clear() }
            .refusing(.disabled, "There is nothing to clear.")
    }
}
