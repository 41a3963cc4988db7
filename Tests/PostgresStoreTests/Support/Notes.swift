@testable import Entities

/// A build with one view model, whose stored form is its output.
struct Notes: PartHost {
    let declarations = [PartDeclaration(name: "note", outputs: ["text"])]

    func initial(_ name: String, language: String) -> Part { Self.part([]) }

    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part { Self.part(stored) }

    func rederive(_ part: Part, _ name: String, language: String) -> Part { part }

    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes { Changes() }

    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes { Changes() }

    fileprivate static func part(_ text: [UInt8]) -> Part {
        Part(value: text, version: 1, stored: text, outputs: [text])
    }

    static let cache = InitialPartsCache(host: Notes())
}

/// An entity as a test writes it, one commit after the other.
struct Line {
    let id: EntityID
    private(set) var state: EntityState

    init(_ id: EntityID = .session(String(UInt64.random(in: .min ... .max), radix: 36))) {
        self.id = id
        state = .new(Notes.cache["en"])
    }

    /// Goes on with a stored row.
    init(_ row: StoredEntity) {
        id = row.id
        state = EntityState(row, cache: Notes.cache)
    }

    var head: Stamp { state.head }

    /// The commit that creates the row.
    var creation: Commit { Commit(id: id, base: nil, state: state) }

    /// The next commit, which builds on the one before.
    mutating func next(_ text: String = "", key: StoredKey? = nil) -> Commit {
        let base = state.head
        state = state.applying(Changes(parts: [("note", Notes.part(Array(text.utf8)))]))
        return Commit(id: id, base: base, state: state, key: key)
    }
}

extension StoredKey {
    static func named(_ name: String, window: Duration = .seconds(60)) -> StoredKey {
        StoredKey(
            digest: KeyDigest(Array(name.utf8)), request: [1, 2],
            remembered: Remembered(status: 200, body: Array(name.utf8), etag: "1.x"), window: window)
    }
}
