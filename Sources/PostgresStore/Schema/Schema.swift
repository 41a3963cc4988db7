/// The shape of the tables, as a list of steps.
///
/// A step that was released is never changed: databases of every earlier version are led through the steps they lack, by
/// whichever replica comes first. A step only adds what the version before it leaves alone, so that replicas of both may
/// run side by side while a new build is rolled out.
struct Schema {
    /// The steps, of which the first makes version 1.
    static let steps = [first, leases, marks]
    /// The earliest version whose Bindery can use the tables: what later steps added it leaves alone.
    private static let readableFrom = 1
    /// The SQLSTATE by which this says that the tables are a newer Bindery's; of the class that is left to applications.
    static let newerState = "BY001"

    let name: SchemaName

    init(_ name: SchemaName) { self.name = name }

    /// Makes the tables where they are missing, or leads them to this version; leaves them alone where a newer Bindery
    /// says that this one can use them.
    ///
    /// The connection marks them as open by others, if not by one alone. Where nobody had them open, rows may have been put
    /// back meanwhile: they have another mark from now on.
    ///
    /// - Parameter timeToLive: how long a session lives that nobody uses, for tables that know none; another is noted later
    ///   (``Statements/noteTimeToLive``).
    func prepare(_ connection: Connection, timeToLive: Duration?, isAlone: Bool) throws(PostgresFailure) {
        let inUse = Self.inUse(isAlone: isAlone)
        let key = Self.key(of: "'\(name.rawValue)'")
        let seconds = timeToLive.map { String($0.components.seconds) } ?? "NULL::bigint"
        // One statement, one transaction: what fails leaves nothing behind. The lock is for those who start at once. No standby is
        // waited for: whatever is stored after it is behind it in the server's log, too.
        let commands = """
            BEGIN;
            SET LOCAL lock_timeout = '10s';
            SET LOCAL statement_timeout = '60s';
            SET LOCAL synchronous_commit = local;
            DO $bindery$ BEGIN
                FOR try IN 1..100 LOOP
                    EXIT WHEN pg_try_advisory_xact_lock(hashtextextended('bindery schema \(name.rawValue)', 0));
                    IF try = 100 THEN
                        RAISE EXCEPTION 'another replica has begun to make the tables ready, and has not ended';
                    END IF;
                    -- In the server, ten seconds at most: to wait for the lock itself would say in the end that a lock was held.
                    PERFORM pg_sleep(0.1);
                END LOOP;
                IF to_regnamespace('\(name.quoted)') IS NULL THEN CREATE SCHEMA \(name.quoted); END IF;
                IF NOT has_schema_privilege('\(name.rawValue)', 'USAGE') THEN
                    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format(
                        'role %s may not use schema \(name.rawValue): GRANT USAGE, CREATE ON SCHEMA \(name.rawValue) TO %1$s, and ALL on the '
                        'tables in it, or restore it as that role', current_user);
                END IF;
            END $bindery$;
            SET LOCAL search_path = \(name.quoted);
            DO $bindery$
            DECLARE
                known integer;
                earliest integer;
                is_open boolean;
            BEGIN
                IF to_regclass('store') IS NULL THEN
                    CREATE TABLE store (
                        -- One row.
                        number integer PRIMARY KEY CHECK (number = 1),
                        -- The version of the tables, and the earliest whose Bindery can use them.
                        schema integer NOT NULL,
                        readable_from integer NOT NULL,
                        time_to_live bigint
                    );
                END IF;
                SELECT schema, readable_from INTO known, earliest FROM store;
                IF earliest > \(Self.steps.count) THEN
                    RAISE EXCEPTION USING ERRCODE = '\(Self.newerState)', MESSAGE = known;
                END IF;
                \(steps)
                INSERT INTO store (number, schema, readable_from, time_to_live)
                    VALUES (1, \(Self.steps.count), \(Self.readableFrom), \(seconds))
                ON CONFLICT (number) DO UPDATE SET schema = greatest(store.schema, excluded.schema),
                    readable_from = greatest(store.readable_from, excluded.readable_from),
                    time_to_live = coalesce(store.time_to_live, excluded.time_to_live);
                SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND (classid::bigint << 32 | objid::bigint) = \(key)) INTO is_open;
                IF NOT is_open THEN UPDATE store SET mark = gen_random_uuid(); END IF;
                IF \(isAlone ? "is_open" : "NOT pg_try_advisory_lock_shared(\(key))") THEN
                    RAISE EXCEPTION USING ERRCODE = '\(PostgresStoreError.inUseState)', MESSAGE = '\(inUse.message)';
                END IF;
            END $bindery$;
            COMMIT
            """
        do throws(PostgresFailure) {
            try connection.execute(commands, within: .seconds(90))
        } catch {
            guard error.state == Self.newerState else { throw error }
            throw newer(Int(error.message) ?? 0)
        }
    }

    /// The advisory lock by which tables are marked as open.
    ///
    /// - Parameter schema: SQL for the schema's name.
    static func key(of schema: String) -> String { "hashtextextended('bindery store ' || \(schema), 0)" }

    /// Why tables cannot be had.
    static func inUse(isAlone: Bool) -> PostgresFailure {
        PostgresFailure(
            .refused, state: PostgresStoreError.inUseState,
            message: isAlone
                ? "others have the tables open: stop the replicas first"
                : "the tables are being copied, or a copy into them was broken off")
    }

    /// Marks the time from one crash of the server to the next; to be run on every connection, before it is asked for the mark.
    static let markLifetime =
        "INSERT INTO lifetime SELECT 1 WHERE NOT EXISTS (SELECT FROM lifetime) ON CONFLICT DO NOTHING"

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

    /// What the rows are, and since when the server has not crashed: random, each its own.
    ///
    /// Where one of the server's processes is killed, all its connections end and nothing else tells of it: but a table that is
    /// not logged is empty.
    private static let marks = """
        ALTER TABLE store ADD COLUMN mark uuid NOT NULL DEFAULT gen_random_uuid(),
            -- Where the time to live was changed: by how many seconds ends are to be moved, behind which session, and up to which.
            ADD COLUMN moving_by bigint, ADD COLUMN moved_to bigint, ADD COLUMN moving_until bigint,
            -- From where the tables are being filled; NULL where they have all that they are to have.
            ADD COLUMN filling_from text;
        CREATE UNLOGGED TABLE lifetime (
            -- One row.
            number integer PRIMARY KEY CHECK (number = 1),
            mark uuid NOT NULL DEFAULT gen_random_uuid()
        );
        """
}
