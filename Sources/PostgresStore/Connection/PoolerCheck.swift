/// Tells a pooler by transactions, as PgBouncer is with `pool_mode = transaction`, from a server.
///
/// Behind one, a connection of the server serves many in turn: settings, prepared statements, locks and LISTEN, which a store
/// needs, are then whoever's was served last.
enum PoolerCheck {
    /// - Parameters:
    ///   - first: a connection on which nothing else has been set: a pooler would give that to others.
    ///   - second: another.
    /// - Throws: ``PostgresFailure`` where what one has set is found in the other.
    static func run(_ first: Connection, _ second: Connection) throws(PostgresFailure) {
        try first.execute("SET bindery.connection = 'first'")
        try second.execute("SET bindery.connection = 'second'")
        for (connection, name) in [(first, "first"), (second, "second")] {
            try connection.execute(
                """
                DO $bindery$ BEGIN
                    IF current_setting('bindery.connection', true) IS DISTINCT FROM '\(name)' THEN
                        RAISE EXCEPTION 'a pooler by transactions stands before the server: connect to the server itself, '
                            'or let the pooler give each client a connection of its own (pool_mode = session)';
                    END IF;
                END $bindery$
                """)
        }
    }
}
