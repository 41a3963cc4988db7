/// The schema that holds the tables, and the tables.
///
/// Each statement names the schema, since no connection sets a search path.
struct Schema: Sendable {
    let name: String

    /// Takes a name.
    ///
    /// - Throws: ``PostgresStoreError`` for a name with other characters than lower-case letters of ASCII, digits and
    ///   underscores, or more than 63 of them, or a digit first.
    init(_ name: String) throws(PostgresStoreError) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isGood = name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
        guard isGood, let first = name.utf8.first, !digits.contains(first), name.utf8.count < 64 else {
            throw PostgresStoreError("\"\(name)\" is no schema name: use a-z, 0-9 and _, and no digit first")
        }
        self.name = name
    }

    /// The name as SQL writes it.
    var quoted: String { "\"\(name)\"" }

    /// Creates the tables if they are missing.
    ///
    /// Several replicas may start at once. A slower replica finds the tables at its next look.
    func prepare(_ connection: Connection, within time: Duration) throws(PostgresFailure) {
        var attempts = 0
        while try !exists(connection, within: time) {
            attempts += 1
            do throws(PostgresFailure) {
                try connection.execute(tables, within: time)
            } catch {
                // Duplicate schema or table, or a duplicate row of a catalog.
                guard ["42P06", "42P07", "23505"].contains(error.state) || error.isCollision, attempts < 5 else {
                    throw error
                }
            }
        }
    }

    /// Whether the tables are there.
    func exists(_ connection: Connection, within time: Duration) throws(PostgresFailure) -> Bool {
        let question = """
            SELECT 1 FROM information_schema.tables WHERE table_schema = $1::text AND table_name = 'entities'
            """
        return try connection.run(question, within: time) { $0.add(name) }.count > 0
    }

    /// The tables.
    ///
    /// A commit without effects changes no indexed column, and pages have free space. So PostgreSQL writes the new row
    /// beside the old one and touches no index (heap-only tuples, README.HOT of the server).
    ///
    /// `keys` has no foreign key: each row is written under the lock of its entity's row, and expires by itself.
    private var tables: String {
        """
        CREATE SCHEMA IF NOT EXISTS \(quoted);
        CREATE TABLE \(quoted).entities (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL UNIQUE,
            kind text NOT NULL,
            seq bigint NOT NULL,
            nonce bigint NOT NULL,
            ring bytea NOT NULL,
            language text NOT NULL,
            used timestamptz NOT NULL,
            parts bytea NOT NULL,
            owner text,
            due timestamptz
        ) WITH (fillfactor = 50);
        CREATE INDEX entities_used ON \(quoted).entities (used) WHERE kind = 'session';
        CREATE INDEX entities_owner ON \(quoted).entities (owner) WHERE owner IS NOT NULL;
        CREATE INDEX entities_due ON \(quoted).entities (due) WHERE due IS NOT NULL;
        CREATE TABLE \(quoted).keys (
            entity bigint NOT NULL,
            digest bytea NOT NULL,
            request_hmac bytea NOT NULL,
            status integer NOT NULL,
            body bytea NOT NULL,
            etag text,
            ends timestamptz NOT NULL,
            PRIMARY KEY (entity, digest)
        );
        CREATE INDEX keys_ends ON \(quoted).keys (ends);
        """
    }
}
