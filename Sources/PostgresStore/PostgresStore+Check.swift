import Entities
import StoreParts

extension PostgresStore {
    /// Reads a store: passes each entity with its keys to `each`.
    ///
    /// Replicas may serve the store meanwhile. Blocks; it runs two statements for each 500 entities.
    ///
    /// - Returns: the entities whose row this build cannot read; nil if the schema has no tables.
    /// - Throws: ``PostgresStoreError``, and the errors of `each`.
    package static func check(
        uri: String, schema name: String, each: (StoredEntity, [StoredKey]) throws -> Void
    ) throws -> [EntityID]? {
        let target = try Target(uri)
        let schema = try Schema(name)
        var unreadable: [EntityID] = []
        do {
            let connection = try Connection(target)
            guard try schema.exists(connection, within: patience) else { return nil }
            let entities = """
                SELECT id, kind, seq, nonce, ring, language, parts, number FROM \(schema.quoted).entities
                WHERE number > $1::bigint ORDER BY number LIMIT 500
                """
            let keys = """
                SELECT entity, digest, request_hmac, status, body, etag, (EXTRACT(EPOCH FROM ends - now()))::double precision
                FROM \(schema.quoted).keys WHERE entity > $1::bigint AND entity <= $2::bigint AND ends > now()
                """
            var last: Int64 = 0
            while true {
                let first = last
                let rows = try connection.run(entities, within: patience) { $0.add(Int(first)) }
                guard rows.count > 0 else { return unreadable }
                last = rows.number(rows.count - 1, 7)
                let found = try connection.run(keys, within: patience) {
                    $0.add(Int(first))
                    $0.add(Int(last))
                }
                let places = Dictionary(grouping: 0..<found.count) { found.number($0, 0) }
                for row in 0..<rows.count {
                    guard let entity = rows.entity(row) else {
                        unreadable.append(rows.id(row))
                        continue
                    }
                    try each(entity, (places[rows.number(row, 7)] ?? []).map { found.key($0, from: 1) })
                }
            }
        } catch let failure as PostgresFailure {
            throw PostgresStoreError(target, failure)
        }
    }

    /// The address in a URI without its password; "PostgreSQL" for a malformed URI.
    package static func description(of uri: String) -> String { (try? Target(uri))?.description ?? "PostgreSQL" }

    private static let patience = Duration.seconds(60)
}
