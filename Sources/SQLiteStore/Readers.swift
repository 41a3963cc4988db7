import Dispatch
import Entities
import Foundation
import StoreParts

/// The threads that read, each with its own connection.
///
/// Readers and the writer never wait for each other (https://sqlite.org/wal.html, section 2.2).
final class Readers: Sendable {
    private let lanes = [Lane<Question>(), Lane()]
    /// Empty after the last thread has closed its connection.
    private let threads = DispatchGroup()

    init(_ path: String, _ settings: SQLiteStore.Settings) {
        for lane in lanes {
            threads.enter()
            Thread.start(named: "sqlite-reader") { [threads] in
                Self.answer(lane, path, settings)
                threads.leave()
            }
        }
    }

    /// Answers questions until the lane is closed; opens its connection for the first one.
    private static func answer(_ lane: Lane<Question>, _ path: String, _ settings: SQLiteStore.Settings) {
        let health = StoreHealth(tell: settings.tell)
        var reader: EntityReader?
        while let questions = lane.take(atMost: .max) {
            for question in questions {
                do throws(SQLiteFailure) {
                    let opened = if let reader { reader } else { try EntityReader(path) }
                    reader = opened
                    try opened.answer(question, settings)
                    health.end(nil)
                } catch {
                    health.end("reading failed: \(error.message)")
                    question.fail()
                }
            }
        }
    }

    func add(_ question: Question) {
        let lane = lanes[Int(UInt(bitPattern: question.id.hashValue) % UInt(lanes.count))]
        if !lane.add(question) { question.fail() }
    }

    /// Answers the pending questions, closes the connections, and calls back.
    func close(then closed: @escaping @Sendable () -> Void) {
        for lane in lanes { lane.close() }
        threads.notify(queue: .global(), execute: closed)
    }
}

/// The statements that read, on one connection.
final class EntityReader {
    private let entity: Statement
    private let key: Statement
    private let keyCount: Statement

    init(_ path: String) throws(SQLiteFailure) {
        let connection = try Connection(path)
        entity = try connection.prepare("SELECT kind, seq, nonce, ring, language, parts FROM entities WHERE id = ?1")
        key = try connection.prepare(
            """
            SELECT digest, request_hmac, status, body, etag, ends FROM keys
            WHERE entity = (SELECT number FROM entities WHERE id = ?1) AND digest = ?2 AND ends > ?3
            """)
        keyCount = try connection.prepare(
            """
            SELECT count(*) FROM keys WHERE entity = (SELECT number FROM entities WHERE id = ?1) AND ends > ?2
            AND digest BETWEEN ?3 AND ?4
            """)
    }

    func answer(_ question: Question, _ settings: SQLiteStore.Settings) throws(SQLiteFailure) {
        switch question {
        case .load(let id, let done):
            let result = try load(id)
            if result == .failed { settings.tell(.unreadable(id)) }
            done(result)
        // Only tests ask this, because no other process writes.
        case .head(let id, let done): done(try load(id).map(\.head))
        case .key(let key, let id, let done): done(try lookUp(key, in: id, now: settings.milliseconds))
        }
    }

    /// Reads an entity; `failed` if this build cannot read the form of its row.
    private func load(_ id: EntityID) throws(SQLiteFailure) -> ReadResult<StoredEntity> {
        try entity.bind(id.text)
        defer { entity.reset() }
        guard try entity.step() else { return .missing }
        return Self.row(entity, id).map { .found($0) } ?? .failed
    }

    /// The row of a statement with the columns kind, seq, nonce, ring, language and parts; nil if it is unreadable.
    static func row(_ statement: Statement, _ id: EntityID) -> StoredEntity? {
        RowForm.entity(
            id, head: Stamp(seq: statement.bits(1), nonce: statement.bits(2)), ring: statement.bytes(3),
            language: statement.text(4), parts: statement.bytes(5))
    }

    /// Looks for a key whose window has not passed.
    private func lookUp(_ digest: KeyDigest, in id: EntityID, now: Int64) throws(SQLiteFailure) -> KeyResult {
        try key.bind(id.text, digest.bytes, now)
        defer { key.reset() }
        return try key.step() ? .found(Self.key(key, now: now)) : .missing(count: try count(digest, in: id, now: now))
    }

    /// The key in a row with the columns digest, request_hmac, status, body, etag and ends.
    ///
    /// Its window is the remaining time.
    static func key(_ statement: Statement, now: Int64) -> StoredKey {
        let remembered = Remembered(
            status: Int(statement.integer(2)), body: statement.bytes(3),
            etag: statement.isNull(4) ? nil : statement.text(4))
        return StoredKey(
            digest: KeyDigest(statement.bytes(0)), request: statement.bytes(1), remembered: remembered,
            window: .milliseconds(statement.integer(5) - now))
    }

    private func count(_ digest: KeyDigest, in id: EntityID, now: Int64) throws(SQLiteFailure) -> Int {
        guard let counted = digest.counted else { return 0 }
        try keyCount.bind(id.text, now, counted.first, counted.last)
        defer { keyCount.reset() }
        return try keyCount.step() ? Int(keyCount.integer(0)) : 0
    }
}
