import Foundation
import Sessions
import StoreParts
import ViewModels

extension Connection {
    /// Reads a file from end to end.
    func check(of schema: Int32, for viewModels: [Declaration]) throws(SQLiteFailure) -> StoreCheck {
        let damage = try damage()
        var check = StoreCheck(
            schema: Int(schema), nextSchema: Int(max(schema, Schema.current.version)), damage: damage)
        guard damage.isEmpty else { return check }
        let now = Int64(Date().timeIntervalSince1970)
        check.sessions = try count("SELECT count(*) FROM sessions")
        check.over = try count("SELECT count(*) FROM sessions WHERE ends <= \(now)")
        let later = "FROM sessions WHERE ends > \(now)"
        if try count("SELECT count(*) \(later)") > 0, let first = try integer("SELECT min(ends) \(later)"),
            let last = try integer("SELECT max(ends) \(later)")
        {
            check.ends = TimeOfDay(secondsSince1970: first)...TimeOfDay(secondsSince1970: last)
        }
        if schema >= 3 { check.outcomes = try count("SELECT count(*) FROM keys") }
        check.models = try checkModels(viewModels)
        return check
    }

    private func damage() throws(SQLiteFailure) -> [String] {
        var lines: [String] = []
        do throws(SQLiteFailure) {
            let findings = try prepare("PRAGMA integrity_check(\(StoreCheck.told))")
            while try findings.step() { lines.append(findings.text(0)) }
        } catch {
            guard error.isDamage else { throw error }
            lines.append(error.message)
        }
        return lines == ["ok"] ? [] : lines
    }

    private func count(_ query: String) throws(SQLiteFailure) -> Int { Int(try integer(query) ?? 0) }

    /// Reads all stored models, a page at a time: no read holds on to the write-ahead log for long.
    private func checkModels(_ viewModels: [Declaration]) throws(SQLiteFailure) -> ModelCheck {
        let page: Int64 = 512
        // The first schema says no version.
        let hasVersion =
            try integer("SELECT count(*) FROM pragma_table_info('view_models') WHERE name = 'version'") == 1
        let models = try prepare(
            """
            SELECT session, name, model, \(hasVersion ? "version" : "1"),
                (SELECT id FROM sessions WHERE sessions.number = view_models.session)
            FROM view_models WHERE (session, name) > (?1, ?2) ORDER BY session, name LIMIT \(page)
            """)
        var reader = ModelReader(viewModels)
        var last: (session: Int64, name: String) = (.min, "")
        var count: Int64
        repeat {
            count = 0
            try models.bind(last.session, 1)
            try models.bind(last.name, 2)
            defer { models.reset() }
            while try models.step() {
                count += 1
                last = (models.integer(0), models.text(1))
                reader.read(
                    last.name, storedBy: Int(models.integer(3)), models.bytes(2), in: models.sessionID(4))
            }
        } while count == page
        return reader.result
    }
}
