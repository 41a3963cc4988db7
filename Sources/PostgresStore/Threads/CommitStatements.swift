/// The statements that write a group: one for new rows, one for changed rows, one for deleted rows.
///
/// Each is one transaction. Distributed engines do not let one statement write a table twice, so creations have a statement of
/// their own. Each returns rows `(id, written)`:
/// - true: the row is written, with its keys.
/// - false: the row has its base, but another transaction holds it. Try again.
/// - no row: the comparison failed.
///
/// No statement waits for the lock of a row of `entities`: `SKIP LOCKED` skips rows that another replica holds. Only
/// creations of the same entity wait for each other, in the order of `id`. So two groups cannot deadlock.
struct CommitStatements: Sendable {
    /// Writes rows that must not exist; without and with keys.
    let create: (plain: String, keyed: String)
    /// Writes rows that must have their base; without and with keys.
    let change: (plain: String, keyed: String)
    /// Deletes rows and their keys.
    let end: String
    /// Writes a row without meaning, to test whether commits work; the housekeeping deletes it.
    let probe: String

    init(_ schema: Schema) {
        let schema = schema.quoted
        create = (Self.create(schema, hasKeys: false), Self.create(schema, hasKeys: true))
        change = (Self.change(schema, hasKeys: false), Self.change(schema, hasKeys: true))
        end = """
            WITH \(Self.held(schema, base: 2)), written AS (
                DELETE FROM \(schema).entities WHERE number IN (SELECT number FROM held) RETURNING number
            ), keyless AS (
                DELETE FROM \(schema).keys WHERE entity IN (SELECT number FROM written)
            )
            \(Self.verdict(schema))
            """
        probe = """
            INSERT INTO \(schema).keys (entity, digest, request_hmac, status, body, ends)
            SELECT 0, digest, ''::bytea, 0, ''::bytea, now() FROM unnest($1::bytea[]) AS a (digest)
            ON CONFLICT (entity, digest) DO UPDATE SET ends = excluded.ends
            """
    }

    /// The columns of the rows, `$1` to `$8`; `due` is in seconds since 1970.
    private static let asked = """
        WITH asked AS (
            SELECT id, kind, seq, nonce, ring, language, parts, to_timestamp(due) AS due FROM unnest(
                $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[], $6::text[], $7::bytea[],
                $8::double precision[]
            ) AS a (id, kind, seq, nonce, ring, language, parts, due)
        )
        """

    private static func create(_ schema: String, hasKeys: Bool) -> String {
        """
        \(asked), owned AS (
            SELECT * FROM unnest($1::text[], $9::text[]) AS o (id, owner)
        ), written AS (
            INSERT INTO \(schema).entities (id, kind, seq, nonce, ring, language, used, parts, due, owner)
            SELECT a.id, kind, seq, nonce, ring, language, now(), parts, due, owner
            FROM asked a JOIN owned o ON o.id = a.id ORDER BY a.id
            ON CONFLICT (id) DO NOTHING RETURNING number, id
        )\(hasKeys ? kept(schema, keysFrom: 10) : "")
        SELECT id, true FROM written
        """
    }

    private static func change(_ schema: String, hasKeys: Bool) -> String {
        """
        \(asked), \(held(schema, base: 9)), written AS (
            UPDATE \(schema).entities e
            SET seq = a.seq, nonce = a.nonce, ring = a.ring, language = a.language, parts = a.parts,
                due = a.due
            FROM held h JOIN asked a ON a.id = h.id WHERE e.number = h.number RETURNING e.number, e.id
        )\(hasKeys ? kept(schema, keysFrom: 10) : "")
        \(verdict(schema))
        """
    }

    /// Compares, and locks the rows that have their base.
    ///
    /// `held` looks at the newest version of each row, so a row that another replica has just changed is not in it.
    private static func held(_ schema: String, base: Int) -> String {
        """
        based AS (
            SELECT * FROM unnest($1::text[], $\(base)::bigint[]) AS b (id, base)
        ), held AS (
            SELECT e.number, b.id FROM based b JOIN \(schema).entities e ON e.id = b.id AND e.nonce = b.base
            FOR UPDATE OF e SKIP LOCKED
        )
        """
    }

    /// Returns for each row with its base whether it is written.
    private static func verdict(_ schema: String) -> String {
        """
        SELECT e.id, w.number IS NOT NULL
        FROM based b JOIN \(schema).entities e ON e.id = b.id AND e.nonce = b.base
        LEFT JOIN written w ON w.number = e.number
        """
    }

    /// Writes the keys of the written rows, and replaces expired keys.
    private static func kept(_ schema: String, keysFrom first: Int) -> String {
        """
        , kept AS (
            INSERT INTO \(schema).keys (entity, digest, request_hmac, status, body, etag, ends)
            SELECT w.number, n.digest, n.request, n.status::integer, n.body, n.etag,
                now() + n.seconds * INTERVAL '1 second'
            FROM unnest(
                $\(first)::text[], $\(first + 1)::bytea[], $\(first + 2)::bytea[], $\(first + 3)::bigint[],
                $\(first + 4)::bytea[], $\(first + 5)::text[], $\(first + 6)::double precision[]
            ) AS n (id, digest, request, status, body, etag, seconds) JOIN written w ON w.id = n.id
            ON CONFLICT (entity, digest) DO UPDATE SET request_hmac = excluded.request_hmac,
                status = excluded.status, body = excluded.body, etag = excluded.etag, ends = excluded.ends
        )
        """
    }
}
