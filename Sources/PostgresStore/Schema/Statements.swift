/// The statements of a store.
///
/// Names of tables stand alone: each connection looks in the store's schema.
struct Statements: Sendable {
    /// Stores commits of many sessions, each where its session stands at the commit's base.
    ///
    /// Rows that others write at the moment are passed over rather than waited for: one session that somebody holds would stop
    /// all the others. They come back as `held`. In tables other than those that were there when the connection was made nothing is
    /// stored, and a row without a session says so: where a dump is put back meanwhile, one cursor would name two commits. A function
    /// finds the table, once it is locked; a literal would be read before, and be the table that was there.
    let commit = PreparedStatement(
        "commit",
        """
        WITH input AS MATERIALIZED (
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bigint[],
                $7::bytea[], $8::text[], $9::bigint[])
                AS i (id, base, version, seq, history, ends, beginnings, language, begun)
            WHERE to_regclass('sessions')::oid::bigint = $23
        ), free AS MATERIALIZED (
            SELECT s.number, s.id, s.version FROM sessions s WHERE s.id = ANY ($1) FOR UPDATE SKIP LOCKED
        ), moved AS (
            UPDATE sessions s SET version = i.version, seq = i.seq, history = i.history, language = i.language,
                ends = CASE WHEN s.ends IS NULL OR i.ends IS NULL THEN NULL ELSE greatest(s.ends, i.ends) END,
                beginnings = coalesce(i.beginnings, s.beginnings)
            FROM input i, free f
            WHERE f.id = i.id AND f.version = i.base AND s.number = f.number AND s.version = i.base
            RETURNING s.number, s.id
        ), created AS (
            INSERT INTO sessions (id, language, ends, begun, beginnings, history, seq, version)
            SELECT i.id, i.language, i.ends, i.begun, coalesce(i.beginnings, ''), i.history, i.seq, i.version
            FROM input i WHERE i.base IS NULL ORDER BY i.id
            ON CONFLICT (id) DO NOTHING RETURNING number, id
        ), stored AS (
            SELECT number, id FROM moved UNION ALL SELECT number, id FROM created
        ), put_view_models AS (
            INSERT INTO view_models (session, name, version, model, outputs)
            SELECT stored.number, v.name, v.version, v.model, v.outputs
            FROM unnest($10::bytea[], $11::text[], $12::bigint[], $13::bytea[], $14::bytea[])
                AS v (id, name, version, model, outputs) JOIN stored USING (id)
            ON CONFLICT (session, name) DO UPDATE
            SET version = excluded.version, model = excluded.model, outputs = excluded.outputs
        ), put_keys AS (
            INSERT INTO keys (session, digest, ends, fingerprint, status, entity_tag, content_type, body)
            SELECT stored.number, k.digest, k.ends, k.fingerprint, k.status, k.entity_tag, k.content_type, k.body
            FROM unnest($15::bytea[], $16::bytea[], $17::bigint[], $18::bytea[], $19::bigint[], $20::text[],
                $21::text[], $22::bytea[])
                AS k (id, digest, ends, fingerprint, status, entity_tag, content_type, body) JOIN stored USING (id)
            ON CONFLICT (session, digest) DO UPDATE
            SET ends = excluded.ends, fingerprint = excluded.fingerprint, status = excluded.status,
                entity_tag = excluded.entity_tag, content_type = excluded.content_type, body = excluded.body
        )
        SELECT s.id, f.version, EXISTS (SELECT FROM moved WHERE moved.id = s.id), f.id IS NULL, pg_backend_pid()
        FROM sessions s LEFT JOIN free f USING (id) WHERE s.id = ANY ($1)
        UNION ALL SELECT id, NULL, true, false, pg_backend_pid() FROM created
        UNION ALL SELECT NULL, NULL, false, false, pg_backend_pid() WHERE to_regclass('sessions')::oid::bigint <> $23
        """)

    /// Forgets sessions whose end has come, where a commit would create them anew.
    let deleteIfEnded = PreparedStatement(
        "delete_if_ended", "DELETE FROM sessions WHERE id = ANY ($1::bytea[]) AND ends <= $2")

    /// Forgets a session that stands at a version, unless others write it at the moment.
    ///
    /// Says whether it did, where the session stood, and whether it is held; no row where there is no session.
    let delete = PreparedStatement(
        "delete",
        """
        WITH free AS MATERIALIZED (
            SELECT number, version FROM sessions WHERE id = $1 FOR UPDATE SKIP LOCKED
        ), deleted AS (
            DELETE FROM sessions s USING free f WHERE s.number = f.number AND f.version = $2 RETURNING s.number
        )
        SELECT EXISTS (SELECT FROM deleted), f.version, f.number IS NULL
        FROM sessions s LEFT JOIN free f USING (number) WHERE s.id = $1
        """)

    /// Writes what a synchronous standby has to have, too, and changes nothing.
    let probe = PreparedStatement("probe", "SELECT pg_logical_emit_message(true, 'bindery', '')")

    /// Does what a commit does, with all that it takes of a disk, and undoes it.
    ///
    /// Where a table's disk is full, or a table is not to be written, ``probe`` goes all the same. A value of this size is kept
    /// in pieces beside its row and is not to be compressed: few tables have so much room left in the pages that they have.
    let trial = PreparedStatement(
        "trial",
        """
        DO $bindery$ DECLARE made bigint; BEGIN
            INSERT INTO sessions (id, language, ends, beginnings, history, seq, version)
                VALUES ('\\x00' || gen_random_uuid()::text::bytea, 'en', 0, '', '', 0, '') RETURNING number INTO made;
            INSERT INTO view_models (session, name, version, model, outputs)
                SELECT made, '', 0, string_agg(sha512(uuid_send(gen_random_uuid())), ''), '' FROM generate_series(1, 1024);
            RAISE EXCEPTION USING ERRCODE = 'BY003';
        EXCEPTION WHEN SQLSTATE 'BY003' THEN
        END $bindery$
        """)

    /// Sessions that stand elsewhere than is known, with what is stored of them.
    ///
    /// A row for each view model, or one where there is none; one statement, so all of it is of one moment. Here and where
    /// outcomes are read, no index of ends is of use (`+ 0`): where few sessions have most of the keys, the planner would look
    /// through all that live, once for each session.
    let load = PreparedStatement(
        "load",
        """
        SELECT i.place, s.version IS NOT DISTINCT FROM i.known, s.language, s.ends, s.beginnings, s.history, s.seq, s.version,
            v.name, v.version, v.model, v.outputs,
            CASE WHEN s.version IS DISTINCT FROM i.known
                THEN (SELECT count(*) FROM keys k WHERE k.session = s.number AND k.ends + 0 > $3) END,
            CASE WHEN s.version IS DISTINCT FROM i.known
                THEN (SELECT coalesce(sum(length(k.body)), 0)::bigint FROM keys k
                    WHERE k.session = s.number AND k.ends + 0 > $3) END
        FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS i (id, known, place)
        JOIN sessions s ON s.id = i.id AND (s.ends IS NULL OR s.ends > $3)
        LEFT JOIN view_models v ON v.session = s.number AND s.version IS DISTINCT FROM i.known
        """)

    /// Outcomes by their keys.
    let outcomes = PreparedStatement(
        "outcomes",
        """
        SELECT i.place, k.fingerprint, k.status, k.entity_tag, k.content_type, k.body, k.ends
        FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS i (id, digest, place)
        JOIN sessions s ON s.id = i.id JOIN keys k ON k.session = s.number AND k.digest = i.digest AND k.ends + 0 > $3
        """)

    /// All outcomes of a session.
    let allOutcomes = PreparedStatement(
        "all_outcomes",
        """
        SELECT k.digest, k.fingerprint, k.status, k.entity_tag, k.content_type, k.body, k.ends
        FROM sessions s JOIN keys k ON k.session = s.number WHERE s.id = $1 AND k.ends + 0 > $2
        """)

    /// At which versions sessions stand.
    let versions = PreparedStatement(
        "versions",
        "SELECT id, version FROM sessions WHERE id = ANY ($1::bytea[]) AND (ends IS NULL OR ends > $2)")

    /// Puts off ends; in one order, so that two who do so wait for one another and not in a circle.
    let touch = PreparedStatement(
        "touch",
        """
        WITH input AS (SELECT * FROM unnest($1::bytea[], $2::bigint[]) AS i (id, ends)),
        held AS MATERIALIZED (
            SELECT number, input.ends FROM sessions s JOIN input USING (id) WHERE s.ends < input.ends
            ORDER BY number FOR NO KEY UPDATE OF s
        )
        UPDATE sessions s SET ends = held.ends FROM held WHERE s.number = held.number AND s.ends < held.ends
        """)

    /// Notes another time to live, by which ends are to be moved, unless they are being moved by one before; says whether it is noted.
    let noteTimeToLive = PreparedStatement(
        "note_time_to_live",
        """
        WITH noted AS (
            UPDATE store SET moving_by = $1 - time_to_live, moved_to = 0, moving_until = (SELECT max(number) FROM sessions),
                time_to_live = $1
            WHERE moving_by IS NULL AND time_to_live <> $1 RETURNING 1
        )
        SELECT EXISTS (SELECT FROM noted) OR (SELECT time_to_live = $1 FROM store)
        """)

    /// Moves some of the ends that were put by another time to live, so that they are as if it had always been this one: none to
    /// less than a time to live from now, or from where it was, since somebody may have used the session since; and none to more.
    ///
    /// Says whether any were found; no row where others are at it, or nothing is to be moved.
    let moveEnds = PreparedStatement(
        "move_ends",
        """
        WITH move AS MATERIALIZED (
            SELECT moving_by, moved_to, moving_until, time_to_live FROM store
            WHERE moving_by IS NOT NULL FOR UPDATE SKIP LOCKED
        ), held AS MATERIALIZED (
            SELECT s.number, m.moving_by, $1 + m.time_to_live AS latest
            FROM move m JOIN sessions s ON s.number > m.moved_to AND s.number <= m.moving_until
            ORDER BY s.number LIMIT $2 FOR NO KEY UPDATE OF s
        ), moved AS (
            UPDATE sessions s SET ends = greatest(least(s.ends + h.moving_by, h.latest), least(s.ends, h.latest))
            FROM held h WHERE s.number = h.number AND s.ends IS NOT NULL
        )
        UPDATE store SET moved_to = (SELECT max(number) FROM held),
            moving_by = CASE WHEN EXISTS (SELECT FROM held) THEN moving_by END
        WHERE EXISTS (SELECT FROM move) RETURNING moving_by IS NOT NULL
        """)

    /// Whether ends are still to be moved.
    let endsToMove = PreparedStatement("ends_to_move", "SELECT moving_by IS NOT NULL FROM store")

    /// Forgets sessions whose end has come, also by the time to live by which ends are being moved; one that somebody holds is in
    /// use.
    let deleteEnded = PreparedStatement(
        "delete_ended",
        """
        WITH ended AS MATERIALIZED (
            SELECT s.number FROM sessions s, store
            WHERE s.ends <= $1 AND (moving_by IS NULL OR s.number <= moved_to OR s.number > moving_until
                OR s.ends + moving_by <= $1)
            ORDER BY s.ends LIMIT $2 FOR UPDATE OF s SKIP LOCKED
        )
        DELETE FROM sessions s USING ended WHERE s.number = ended.number AND s.ends <= $1 RETURNING s.id
        """)

    /// Forgets outcomes whose end has come.
    let deleteEndedOutcomes = PreparedStatement(
        "delete_ended_outcomes",
        """
        WITH ended AS MATERIALIZED (
            SELECT session, digest FROM keys WHERE ends <= $1 ORDER BY ends LIMIT $2 FOR UPDATE SKIP LOCKED
        ), deleted AS (
            DELETE FROM keys k USING ended WHERE k.session = ended.session AND k.digest = ended.digest AND k.ends <= $1
            RETURNING 1
        )
        SELECT count(*) FROM deleted
        """)

    /// Sessions in the order of their creation.
    let list = PreparedStatement(
        "list",
        """
        SELECT number, id, begun, ends, (SELECT coalesce(sum(length(model) + length(outputs)), 0)::bigint
            FROM view_models WHERE session = number)
        FROM sessions WHERE number > $1 ORDER BY number LIMIT $2
        """)

    /// Keeps up the leases of a replica: notes that it lives, deletes those that it released, takes those that it wants where
    /// nobody holds them, or a replica that was not seen for so many milliseconds.
    ///
    /// Says which it took, and whether from another, and of those that it asks about which it does not hold. By the server's
    /// clock alone; in one order, so that two who take do not wait in a circle. Who got a lease since the statement began may not be
    /// seen to live: it is taken from nobody but who was seen to hold it.
    let beat = PreparedStatement(
        "beat",
        """
        WITH me AS (
            INSERT INTO replicas (id, seen) VALUES ($1, clock_timestamp())
            ON CONFLICT (id) DO UPDATE SET seen = excluded.seen
        ), released AS (
            DELETE FROM leases WHERE session = ANY ($3::bytea[]) AND replica = $1
        ), wanted AS MATERIALIZED (
            SELECT w.session, l.replica FROM unnest($2::bytea[]) AS w (session)
            LEFT JOIN leases l USING (session) LEFT JOIN replicas r ON r.id = l.replica
            WHERE r.seen IS NULL OR l.replica = $1 OR r.seen < clock_timestamp() - $5::bigint * interval '1 ms'
                -- The clock was set back since.
                OR r.seen > clock_timestamp() + $5::bigint * interval '1 ms'
            ORDER BY w.session
        ), taken AS (
            INSERT INTO leases AS l (session, replica) SELECT session, $1 FROM wanted ORDER BY session
            ON CONFLICT (session) DO UPDATE SET replica = excluded.replica
            WHERE l.replica = excluded.replica
                OR EXISTS (SELECT FROM wanted w WHERE w.session = l.session AND w.replica = l.replica)
            RETURNING session
        )
        SELECT session, true, wanted.replica IS NOT NULL AND wanted.replica <> $1
        FROM taken JOIN wanted USING (session)
        UNION ALL
        SELECT c.session, false, false FROM unnest($4::bytea[]) AS c (session) LEFT JOIN leases l USING (session)
        WHERE l.replica IS DISTINCT FROM $1
        """)

    /// Deletes all leases of a replica, and those of which nobody knows any more.
    let releaseLeases = PreparedStatement(
        "release_leases",
        """
        WITH gone AS (
            DELETE FROM replicas WHERE id = $1 OR seen < clock_timestamp() - interval '1 hour' RETURNING id
        )
        DELETE FROM leases l WHERE l.replica IN (SELECT id FROM gone)
        """)

    /// How many sessions there are.
    let count = PreparedStatement("count", "SELECT count(*) FROM sessions")

    /// Which server it is, and what its commits survive: by default, since the connection may have been told another.
    let server = PreparedStatement(
        "server",
        """
        SELECT current_setting('server_version'), current_setting('synchronous_standby_names'),
            (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'), current_setting('fsync'),
            (SELECT schema FROM store)
        """)

    /// How many commits of this role wait for a synchronous standby.
    let standbyWaits = PreparedStatement(
        "standby_waits",
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = current_user")

    /// Which server it is, and what it holds (``Standing``); each text the same whatever a connection's settings are.
    let standing = PreparedStatement(
        "standing",
        """
        SELECT server.system, server.timeline, hashtextextended(concat_ws(' ', server.system, server.timeline,
            extract(epoch FROM pg_postmaster_start_time()),
            (SELECT oid FROM pg_database WHERE datname = current_database()), to_regclass('sessions')::oid,
            (SELECT mark FROM store), (SELECT mark FROM lifetime)), 0), pg_backend_pid(), to_regclass('sessions')::oid::bigint
        FROM (SELECT (pg_control_system()).system_identifier::text AS system,
            left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline) AS server
        """)

    /// Notes whether the tables are being filled.
    let noteFilling = PreparedStatement("note_filling", "UPDATE store SET filling_from = $1")

    /// Marks the tables of a schema as open, beside others where they are whole, or by one alone.
    let lockShared = PreparedStatement(
        "lock_shared",
        """
        SELECT CASE WHEN (SELECT filling_from IS NULL FROM store)
            THEN pg_try_advisory_lock_shared(\(Schema.key(of: "$1::text"))) ELSE false END
        """)
    let lockAlone = PreparedStatement(
        "lock_alone", "SELECT pg_try_advisory_lock(\(Schema.key(of: "$1::text")))")

    /// Tells other replicas.
    let notify = PreparedStatement("notify", "SELECT pg_notify($1::text, p) FROM unnest($2::text[]) AS p")
}
