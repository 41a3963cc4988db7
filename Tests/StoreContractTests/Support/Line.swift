import Locking

@testable import Entities

/// A build with two texts as view models.
struct Texts: PartHost {
    let declarations = ["note", "title"].map { PartDeclaration(name: $0, outputs: ["text"]) }

    static func part(_ text: String) -> Part {
        let stored = Array(text.utf8)
        return Part(value: text, version: 3, stored: stored, outputs: [stored])
    }

    func initial(_ name: String, language: String) -> Part { Self.part("") }

    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part {
        Self.part(String(decoding: stored, as: UTF8.self))
    }

    func rederive(_ part: Part, _ name: String, language: String) -> Part { part }
    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes { throw .busy }
    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes { throw .busy }

    static let initial = InitialParts(host: Texts(), language: "ja")
}

/// The commits of one entity, each on the one before.
struct Line {
    let id: EntityID
    private(set) var state: EntityState
    private var isBegun = false

    init(_ id: EntityID) {
        self.id = id
        state = .new(Texts.initial)
    }

    /// Goes on with a stored row.
    init(_ row: StoredEntity) {
        id = row.id
        state = EntityState(row, of: EntityKind(Texts()))
        isBegun = true
    }

    /// A private session that nobody has begun.
    static func session(_ name: String = "session") -> Line { Line(.session(name)) }

    /// The row after the last commit.
    var row: StoredEntity { state.row(id) }

    /// The first commit.
    mutating func begin(key: StoredKey? = nil) -> Commit {
        isBegun = true
        return Commit(id: id, base: nil, state: state, key: key)
    }

    /// The next commit, which writes a text.
    mutating func next(_ text: String = "text", in part: String = "note", key: StoredKey? = nil) -> Commit {
        next(Changes(parts: [(part, Texts.part(text))]), key: key)
    }

    /// The next commit, which changes nothing.
    mutating func next(key: StoredKey) -> Commit { next(Changes(), key: key) }

    mutating func next(_ changes: Changes, key: StoredKey? = nil) -> Commit {
        let base = state.head
        state = state.applying(changes)
        return Commit(id: id, base: base, state: state, key: key)
    }

    /// The end, on the last commit.
    func end() -> Commit { Commit(id: id, base: state.head, state: state, isEnd: true) }

    /// Commits texts one after the other, and returns the results.
    mutating func commit(_ texts: String..., to store: any EntityStore) async -> [String] {
        var results = isBegun ? [] : [await store.stored(begin())]
        for text in texts { results.append(await store.stored(next(text))) }
        return results
    }
}

extension StoredEntity {
    /// The text of a view model.
    func text(_ name: String = "note") -> String? {
        parts.first { $0.name == name }.map { String(decoding: $0.state, as: UTF8.self) }
    }
}

extension StoredKey {
    /// A key that is kept for ten minutes.
    static func named(_ name: String, body: String = "body", etag: String? = "7.abc") -> StoredKey {
        StoredKey(
            digest: KeyDigest(key: Array(name.utf8), of: nil), request: Array("request of \(name)".utf8),
            remembered: Remembered(status: 200, body: Array(body.utf8), etag: etag), window: .seconds(600))
    }
}
