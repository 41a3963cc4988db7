/// The statements that read; each answers all that wait.
struct ReadStatements: Sendable {
    /// The rows of entities.
    let load: String
    /// The stamps of entities.
    let heads: String
    /// Keys whose windows have not passed; for those that are missing the number of the entity's keys.
    let keys: String

    init(_ schema: Schema) {
        let schema = schema.quoted
        load = """
            SELECT id, seq, nonce, ring, language, parts FROM \(schema).entities WHERE id = ANY ($1::text[])
            """
        heads = "SELECT id, seq, nonce FROM \(schema).entities WHERE id = ANY ($1::text[])"
        keys = """
            SELECT a.place, k.digest IS NOT NULL, k.request_hmac, k.status, k.body, k.etag,
                (EXTRACT(EPOCH FROM k.ends - now()))::double precision,
                CASE WHEN k.digest IS NULL
                    THEN (SELECT count(*) FROM \(schema).keys o WHERE o.entity = e.number) ELSE 0 END
            FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS a (id, digest, place)
            LEFT JOIN \(schema).entities e ON e.id = a.id
            LEFT JOIN \(schema).keys k ON k.entity = e.number AND k.digest = a.digest AND k.ends > now()
            """
    }
}

/// The statements of the housekeeping; all times are the database's.
struct KeepingStatements: Sendable {
    /// Notes that entities are in use.
    ///
    /// It waits for rows that are held, in the order of `number`, so two cannot deadlock.
    let touch: String
    /// Deletes unused sessions and their keys.
    let expireEntities: String
    /// Deletes keys whose windows have passed.
    let expireKeys: String

    init(_ schema: Schema) {
        let schema = schema.quoted
        touch = """
            WITH held AS (
                SELECT number FROM \(schema).entities WHERE id = ANY ($1::text[]) ORDER BY number FOR UPDATE
            )
            UPDATE \(schema).entities SET used = now() WHERE number IN (SELECT number FROM held)
            """
        expireEntities = """
            WITH held AS (
                SELECT number FROM \(schema).entities
                WHERE kind = 'session' AND used <= now() - $1::double precision * INTERVAL '1 second'
                ORDER BY used LIMIT $2::bigint FOR UPDATE SKIP LOCKED
            ), ended AS (
                DELETE FROM \(schema).entities WHERE number IN (SELECT number FROM held) RETURNING number, id
            ), keyless AS (
                DELETE FROM \(schema).keys WHERE entity IN (SELECT number FROM ended)
            )
            SELECT id FROM ended
            """
        expireKeys = """
            WITH held AS (
                SELECT entity, digest FROM \(schema).keys
                WHERE ends <= now() ORDER BY ends LIMIT $1::bigint FOR UPDATE SKIP LOCKED
            )
            DELETE FROM \(schema).keys k USING held h WHERE k.entity = h.entity AND k.digest = h.digest
            """
    }
}
