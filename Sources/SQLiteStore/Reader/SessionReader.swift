import Sessions
import ViewModels

/// Reads sessions, on the thread of its connection.
final class SessionReader {
    private let begin: Statement
    private let end: Statement
    private let session: Statement
    private let viewModels: Statement
    private let outcomes: Statement
    private let number: Statement
    private let now: @Sendable () -> SessionEnd

    init(_ connection: Connection, _ settings: Settings) throws(SQLiteFailure) {
        now = settings.now
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        session = try connection.prepare(
            "SELECT number, language, ends, beginnings, \(SessionHead.columns) FROM sessions WHERE id = ?1")
        viewModels = try connection.prepare("SELECT name, model, outputs, version FROM view_models WHERE session = ?1")
        outcomes = try connection.prepare(
            """
            SELECT key, fingerprint, status, entity_tag, content_type, body FROM outcomes WHERE session = ?1
            ORDER BY number
            """)
        number = try connection.prepare("SELECT number FROM sessions WHERE id = ?1")
    }

    /// The session as it stands; nil where there is none of that name, or its time is over.
    func load(_ id: SessionID) throws(SQLiteFailure) -> SessionRecord? {
        // One transaction: all three questions are answered from the same moment.
        try begin.run()
        defer { try? end.run() }
        defer { for statement in [session, viewModels, outcomes] { statement.reset() } }
        try session.bind(id, 1)
        guard try session.step() else { return nil }
        let sessionEnd = session.optionalInteger(2).map(SessionEnd.init(secondsSince1970:))
        if let sessionEnd, sessionEnd <= now() { return nil }
        let number = session.integer(0)
        return SessionRecord(
            head: try session.head(from: 4),
            // A language that this build does not speak.
            language: Language(rawValue: session.text(1)) ?? .standard, end: sessionEnd,
            beginnings: Beginnings(column: session.bytes(3)), viewModels: try viewModels(of: number),
            outcomes: try outcomes(of: number))
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

    private func viewModels(of number: Int64) throws(SQLiteFailure) -> [String: ViewModelRecord] {
        var records: [String: ViewModelRecord] = [:]
        try viewModels.bind(number, 1)
        while try viewModels.step() {
            guard let outputs = OutputRecord.decode(viewModels.bytes(2)) else { throw SQLiteFailure.unreadable }
            let name = viewModels.text(0)
            records[name] = ViewModelRecord(
                name: name, version: Int(viewModels.integer(3)), model: viewModels.bytes(1), outputs: outputs)
        }
        return records
    }

    private func outcomes(of number: Int64) throws(SQLiteFailure) -> [RememberedOutcome] {
        var records: [RememberedOutcome] = []
        try outcomes.bind(number, 1)
        while try outcomes.step() {
            records.append(
                RememberedOutcome(
                    key: outcomes.text(0), fingerprint: outcomes.text(1), status: Int(outcomes.integer(2)),
                    entityTag: outcomes.text(3), contentType: outcomes.text(4), body: outcomes.bytes(5)))
        }
        return records.suffix(RememberedOutcome.kept)
    }
}
