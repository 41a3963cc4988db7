public import Sessions
import StoreParts
public import ViewModels

extension PostgresStore {
    /// Reads all that is stored, and tells how old it is and which of its models a replica of these view models could not read.
    ///
    /// Reads only, beside replicas of any build, some models at a time, and leaves tables of an earlier version as they are: the server
    /// lets this connection write nothing. A pooler by transactions is refused, as it is by a replica. Outputs are not derived.
    ///
    /// - Parameters:
    ///   - uri: as libpq reads it.
    ///   - schema: in which the tables are.
    ///   - viewModels: those of the build that is to serve it.
    /// - Throws: ``PostgresStoreError``.
    public static func check(
        uri: String, schema: SchemaName = .standard, for viewModels: [Declaration]
    ) async throws(PostgresStoreError) -> StoreCheck {
        let target = try Target(uri)
        return try await Worker<PostgresStoreError>.run(named: "postgres-check") { () throws(PostgresStoreError) in
            do throws(PostgresFailure) {
                let commands = """
                    SET default_transaction_read_only = on;
                    SET search_path = \(schema.quoted);
                    SET client_encoding = 'UTF8';
                    SET statement_timeout = \(Connection.checkTime / .milliseconds(1));
                    """
                // First: behind a pooler, what is set here would be another client's from then on.
                let connection = try PoolerCheck.connect(target).0
                try connection.execute(commands)
                return try connection.check(Schema(schema), for: viewModels)
            } catch {
                throw PostgresStoreError(target, error)
            }
        }
    }
}

extension Connection {
    /// How long one look may take: a count reads a whole table.
    fileprivate static let checkTime = Duration.seconds(600)

    fileprivate func check(_ schema: Schema, for viewModels: [Declaration]) throws(PostgresFailure) -> StoreCheck {
        try schema.requireTables(self)
        // Tables of an earlier version have fewer columns.
        let store = try ask("version", "SELECT schema, readable_from, to_jsonb(store) ->> 'filling_from' FROM store")
        guard store.count == 1 else { throw .unreadable("the version of the tables") }
        let version = Int(store.integer(0, 0))
        guard store.integer(0, 1) <= Schema.steps.count else { throw schema.newer(version) }
        guard store.isNull(0, 2) else { throw schema.unfinished(store.text(0, 2)) }
        var check = StoreCheck(schema: version, nextSchema: max(version, Schema.steps.count), damage: nil)
        let sessions = try ask(
            "sessions",
            """
            SELECT count(*), count(*) FILTER (WHERE ends <= t), min(ends) FILTER (WHERE ends > t),
                max(ends) FILTER (WHERE ends > t), (SELECT count(*) FROM keys)
            FROM sessions, (SELECT extract(epoch FROM now())::bigint AS t) AS clock
            """)
        (check.sessions, check.over) = (Int(sessions.integer(0, 0)), Int(sessions.integer(0, 1)))
        if let first = sessions.time(0, 2), let last = sessions.time(0, 3) { check.ends = first...last }
        check.outcomes = Int(sessions.integer(0, 4))
        check.models = try checkModels(viewModels)
        return check
    }

    /// Reads all stored models, a page at a time: as many as fit into some megabytes, and one at least.
    private func checkModels(_ viewModels: [Declaration]) throws(PostgresFailure) -> ModelCheck {
        let page = PreparedStatement(
            "models",
            """
            SELECT session, name, version, model, id FROM (
                SELECT v.session, v.name, v.version, v.model, s.id,
                    sum(length(v.model)) OVER (ORDER BY v.session, v.name) - length(v.model) AS before
                FROM (SELECT * FROM view_models WHERE (session, name) > ($1::bigint, $2::text)
                    ORDER BY session, name LIMIT 512) AS v
                JOIN sessions s ON s.number = v.session
            ) AS p WHERE before < \(4 << 20) ORDER BY session, name
            """)
        var reader = ModelReader(viewModels)
        var last: (session: Int64, name: String) = (.min, "")
        while true {
            let models = try run(page, [.integer(last.session), .bytes(Array(last.name.utf8))], within: Self.checkTime)
            guard models.count > 0 else { return reader.result }
            for row in 0..<models.count {
                last = (models.integer(row, 0), models.text(row, 1))
                reader.read(
                    last.name, storedBy: Int(models.integer(row, 2)), models.bytes(row, 3), in: models.sessionID(row, 4)
                )
            }
        }
    }

    private func ask(_ name: String, _ question: String) throws(PostgresFailure) -> Answer {
        try run(PreparedStatement(name, question), [], within: Self.checkTime)
    }
}
