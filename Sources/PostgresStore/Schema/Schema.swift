/// The shape of the tables, as a list of steps.
///
/// A step that was released is never changed: databases of every earlier version are led through the steps they lack, by
/// whichever replica comes first. A step only adds what the version before it leaves alone, so that replicas of both may
/// run side by side while a new build is rolled out.
struct Schema {
    /// The steps, of which the first makes version 1.
    static let steps = [first, leases]
    /// The earliest version whose Bindery can use the tables: what later steps added it leaves alone.
    private static let readableFrom = 1
    /// The SQLSTATE by which this says that the tables are a newer Bindery's; of the class that is left to applications.
    static let newerState = "BY001"

    private let name: SchemaName

    init(_ name: SchemaName) { self.name = name }

    /// Makes the tables where they are missing, or leads them to this version; leaves them alone where a newer Bindery
    /// says that this one can use them.
    ///
    /// - Parameter timeToLive: how long a session lives that nobody uses; where the tables know another, their sessions end as
    ///   if they had always had this one.
    func prepare(_ connection: Connection, timeToLive: Duration?) throws(PostgresFailure) {
        let seconds = timeToLive.map { String($0.components.seconds) } ?? "NULL::bigint"
        // One statement, one transaction: what fails leaves nothing behind. The lock is for those who start at once.
        try connection.execute(
            """
            BEGIN;
            SET LOCAL lock_timeout = '30s';
            SET LOCAL statement_timeout = '10min';
            SELECT pg_advisory_xact_lock(hashtextextended('bindery schema \(name.rawValue)', 0));
            DO $bindery$ BEGIN
                IF to_regnamespace('\(name.quoted)') IS NULL THEN CREATE SCHEMA \(name.quoted); END IF;
            END $bindery$;
            SET LOCAL search_path = \(name.quoted);
            CREATE TABLE IF NOT EXISTS store (
                -- One row.
                number integer PRIMARY KEY CHECK (number = 1),
                -- The version of the tables, and the earliest whose Bindery can use them.
                schema integer NOT NULL,
                readable_from integer NOT NULL,
                time_to_live bigint
            );
            DO $bindery$
            DECLARE
                known integer;
                earliest integer;
                lived bigint;
            BEGIN
                SELECT schema, readable_from, time_to_live INTO known, earliest, lived FROM store;
                IF earliest > \(Self.steps.count) THEN
                    RAISE EXCEPTION USING ERRCODE = '\(Self.newerState)', MESSAGE = format(
                        'the tables in schema \(name.rawValue) are of version %s, of a newer Bindery; this one knows '
                        'version \(Self.steps.count): start the newer one, or name another schema', known);
                END IF;
                \(steps)
                INSERT INTO store (number, schema, readable_from, time_to_live)
                    VALUES (1, \(Self.steps.count), \(Self.readableFrom), \(seconds))
                ON CONFLICT (number) DO UPDATE SET schema = greatest(store.schema, excluded.schema),
                    readable_from = greatest(store.readable_from, excluded.readable_from),
                    time_to_live = coalesce(excluded.time_to_live, store.time_to_live);
                IF lived <> \(seconds) THEN
                    UPDATE sessions SET ends = ends + \(seconds) - lived WHERE ends IS NOT NULL;
                END IF;
            END $bindery$;
            COMMIT
            """)
    }

    /// The steps, each where the tables lack it.
    private var steps: String {
        Self.steps.enumerated().map { index, step in
            "IF coalesce(known, 0) < \(index + 1) THEN \(step) END IF;"
        }.joined(separator: "\n")
    }

    /// Rows of sessions leave room in their pages, so that a commit writes the new one beside the old and no index
    /// (heap-only tuples, README.HOT of the server).
    private static let first = """
        CREATE TABLE sessions (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            -- The SHA-256 of the token; any other name behind a zero byte.
            id bytea NOT NULL UNIQUE,
            language text NOT NULL,
            -- Seconds since 1970, NULL for never.
            ends bigint,
            begun bigint,
            beginnings bytea NOT NULL,
            history bytea NOT NULL,
            seq bigint NOT NULL,
            version bytea NOT NULL
        ) WITH (fillfactor = 70);
        CREATE INDEX sessions_ends ON sessions (ends);
        CREATE TABLE view_models (
            session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
            name text NOT NULL,
            version bigint NOT NULL,
            model bytea NOT NULL,
            outputs bytea NOT NULL,
            PRIMARY KEY (session, name)
        ) WITH (fillfactor = 70);
        -- Of a session that is gone they are found no more, and go at their end.
        CREATE TABLE keys (
            session bigint NOT NULL,
            digest bytea NOT NULL,
            ends bigint NOT NULL,
            fingerprint bytea NOT NULL,
            status integer NOT NULL,
            entity_tag text NOT NULL,
            content_type text NOT NULL,
            body bytea NOT NULL,
            PRIMARY KEY (session, digest)
        );
        CREATE INDEX keys_ends ON keys (ends);
        """

    /// On which replica sessions change by themselves.
    ///
    /// Not logged: a server that crashed, or a standby that is promoted, has none, and replicas ask anew.
    private static let leases = """
        CREATE UNLOGGED TABLE replicas (
            id bigint PRIMARY KEY,
            seen timestamptz NOT NULL
        ) WITH (fillfactor = 50);
        CREATE UNLOGGED TABLE leases (
            -- As in `sessions`, where it may be no more.
            session bytea PRIMARY KEY,
            replica bigint NOT NULL
        );
        """
}
