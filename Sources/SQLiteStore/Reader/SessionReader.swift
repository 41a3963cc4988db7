import Sessions
import StoreParts
import ViewModels

/// Reads sessions, on the thread of its connection.
final class SessionReader {
    private let begin: Statement
    private let end: Statement
    private let session: Statement
    private let viewModels: Statement
    private let keys: Statement
    private let outcome: Statement
    private let outcomes: Statement
    private let number: Statement
    private let list: Statement
    private let now: @Sendable () -> TimeOfDay

    init(_ connection: Connection, _ settings: Settings) throws(SQLiteFailure) {
        now = settings.now
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        session = try connection.prepare(
            "SELECT number, language, ends, beginnings, \(SessionHead.columns) FROM sessions WHERE id = ?1")
        viewModels = try connection.prepare("SELECT name, model, outputs, version FROM view_models WHERE session = ?1")
        keys = try connection.prepare(
            "SELECT count(*), coalesce(sum(length(body)), 0) FROM keys WHERE session = ?1 AND ends > ?2")
        outcome = try connection.prepare(
            """
            SELECT fingerprint, status, entity_tag, content_type, body, keys.ends
            FROM sessions JOIN keys ON session = number
            WHERE id = ?1 AND digest = ?2 AND keys.ends > ?3
            """)
        outcomes = try connection.prepare(
            """
            SELECT fingerprint, status, entity_tag, content_type, body, keys.ends, digest
            FROM sessions JOIN keys ON session = number
            WHERE id = ?1 AND keys.ends > ?2
            """)
        number = try connection.prepare("SELECT number FROM sessions WHERE id = ?1")
        // The length of a blob stands in its row's head: what lies on other pages is not read.
        list = try connection.prepare(
            """
            SELECT number, id, begun, ends,
                (SELECT coalesce(sum(length(model) + length(outputs)), 0) FROM view_models WHERE session = number)
            FROM sessions WHERE number > ?1 ORDER BY number LIMIT ?2
            """)
    }

    /// The session as it stands; nil where there is none of that name, or its time is over.
    func load(_ id: SessionID) throws(SQLiteFailure) -> SessionRecord? {
        // One transaction: all three questions are answered from the same moment.
        try begin.run()
        defer { try? end.run() }
        defer { for statement in [session, viewModels, keys] { statement.reset() } }
        try session.bind(id, 1)
        guard try session.step() else { return nil }
        let sessionEnd = session.optionalInteger(2).map(TimeOfDay.init(secondsSince1970:))
        let now = now()
        if let sessionEnd, sessionEnd <= now { return nil }
        let number = session.integer(0)
        let (keys, keyBytes) = try keys(of: number, at: now)
        return SessionRecord(
            head: try session.head(from: 4),
            // A language that this build does not speak.
            language: Language(session.text(1)) ?? .english, end: sessionEnd,
            initialDigests: InitialDigests(column: session.bytes(3)), viewModels: try viewModels(of: number),
            keys: keys, keyBytes: keyBytes)
    }

    /// What a request with an idempotency key came to; nil where there is no such key, or its time is over.
    func outcome(of key: KeyDigest, in id: SessionID) throws(SQLiteFailure) -> RememberedOutcome? {
        defer { outcome.reset() }
        try outcome.bind(id, 1)
        try outcome.bind(key.bytes, 2)
        try outcome.bind(now().secondsSince1970, 3)
        return try outcome.step() ? Self.outcome(of: key, in: outcome) : nil
    }

    /// All outcomes of a session whose time is not over.
    func outcomes(of id: SessionID) throws(SQLiteFailure) -> [RememberedOutcome] {
        defer { outcomes.reset() }
        try outcomes.bind(id, 1)
        try outcomes.bind(now().secondsSince1970, 2)
        var found: [RememberedOutcome] = []
        while try outcomes.step() {
            guard let key = KeyDigest(bytes: outcomes.bytes(6)) else { throw SQLiteFailure.unreadable("a key") }
            found.append(Self.outcome(of: key, in: outcomes))
        }
        return found
    }

    private static func outcome(of key: KeyDigest, in row: Statement) -> RememberedOutcome {
        RememberedOutcome(
            key: key, fingerprint: row.bytes(0), status: Int(row.integer(1)), entityTag: row.text(2),
            contentType: row.text(3), body: row.bytes(4), end: TimeOfDay(secondsSince1970: row.integer(5)))
    }

    /// The numbers of sessions, which are in the order of their creation; the highest there is for one that is not there.
    func numbers(of ids: [SessionID]) throws(SQLiteFailure) -> [Int64] {
        try begin.run()
        defer { try? end.run() }
        defer { number.reset() }
        var numbers: [Int64] = []
        for id in ids {
            number.reset()
            try number.bind(id, 1)
            numbers.append(try number.step() ? number.integer(0) : .max)
        }
        return numbers
    }

    /// Sessions in the order of their numbers.
    func sessions(after number: Int64, limit: Int) throws(SQLiteFailure) -> [SessionSummary] {
        defer { list.reset() }
        try list.bind(number, 1)
        try list.bind(Int64(limit), 2)
        var sessions: [SessionSummary] = []
        while try list.step() {
            sessions.append(
                SessionSummary(
                    id: list.sessionID(1), place: list.integer(0),
                    begun: list.optionalInteger(2).map(TimeOfDay.init(secondsSince1970:)),
                    end: list.optionalInteger(3).map(TimeOfDay.init(secondsSince1970:)), bytes: Int(list.integer(4))))
        }
        return sessions
    }

    private func viewModels(of number: Int64) throws(SQLiteFailure) -> [String: ViewModelRecord] {
        var records: [String: ViewModelRecord] = [:]
        try viewModels.bind(number, 1)
        while try viewModels.step() {
            let name = viewModels.text(0)
            guard let outputs = OutputRecord.decode(viewModels.bytes(2)) else {
                throw SQLiteFailure.unreadable("what is stored of the outputs of \(name)")
            }
            records[name] = ViewModelRecord(
                name: name, version: Int(viewModels.integer(3)), model: viewModels.bytes(1), outputs: outputs)
        }
        return records
    }

    private func keys(of number: Int64, at now: TimeOfDay) throws(SQLiteFailure) -> (Int, Int) {
        try keys.bind(number, 1)
        try keys.bind(now.secondsSince1970, 2)
        return try keys.step() ? (Int(keys.integer(0)), Int(keys.integer(1))) : (0, 0)
    }
}
