import ViewModels

/// A view model without fault, with all that a walk looks at.
struct Sound: ViewModel {
    struct Entry: Codable, Sendable {
        enum Kind: String, Codable, Sendable, CaseIterable { case food, other }

        var word: String
        var count: UInt8?
        var kind: Kind
        var tags: [String: [Bool]]
    }

    var entries: [Entry] = []

    static let interface = Interface<Sound>("sound") {
        Output("entries", \.entries)
        Output("text") { $1.language == "ja" ? "\($0.entries.count)個" : "\($0.entries.count) entries" }
        Action("add", example: Entry(word: "Milk", kind: .food, tags: ["a": [true]])) { sound, entry in
            guard sound.entries.count < 5 else { throw Refusal.disabled("Full; remove one.") }
            guard !entry.word.isEmpty else { throw Refusal.invalid("Type a word.", at: "word") }
            sound.entries.append(entry)
        }
        .refusing(.disabled, "It is full.")
        .refusing(.invalid, "The word is empty.")
        Action("remove") { sound async throws in
            guard sound.entries.popLast() != nil else { throw Refusal.disabled("It is empty.") }
        }.refusing(.disabled, "It is empty.")
        Facet("words", showing: "text")
    }
}

/// Adds what it is sent, and says where a plain `+` would trap.
struct Adding: ViewModel {
    struct Overflow: Error {}

    var sum = 0

    static let interface = Interface<Adding>("adding") {
        Output("sum", \.sum)
        Action("add", example: 1) { adding, number in
            guard !adding.sum.addingReportingOverflow(number).overflow else { throw Overflow() }
            adding.sum += number
        }
    }
}
