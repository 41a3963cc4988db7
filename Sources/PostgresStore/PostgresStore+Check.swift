import Entities
import StoreParts

extension PostgresStore {
    /// Reads a store: hands out each entity with its keys.
    ///
    /// Replicas may serve the store meanwhile. Blocks; a statement for each 500 entities.
    ///
    /// - Returns: the entities whose row this build cannot read; nil if the schema has no tables.
    /// - Throws: ``PostgresStoreError``, and what `each` throws.
    package static func check(
        uri: String, schema name: String, each: (StoredEntity, [StoredKey]) throws -> Void
    ) throws -> [EntityID]? {
        let target = try Target(uri)
        let schema = try Schema(name)
        var unreadable: [EntityID] = []
        do {
            let connection = try Connection(target)
            guard try schema.exists(connection, within: patience) else { return nil }
            let statements = CheckStatements(schema)
            var last: Int64 = 0
            while true {
                let page = try statements.page(after: last, on: connection)
                for row in page.rows {
                    last = row.number
                    guard let entity = row.entity else {
                        unreadable.append(row.id)
                        continue
                    }
                    try each(entity, page.keys[row.number] ?? [])
                }
                guard page.rows.count == CheckStatements.pageSize else { return unreadable }
            }
        } catch let failure as PostgresFailure {
            throw PostgresStoreError(target, failure)
        }
    }

    /// The address in a URI without its password; a general word for a malformed one.
    package static func description(of uri: String) -> String { (try? Target(uri))?.description ?? "PostgreSQL" }

    fileprivate static let patience = Duration.seconds(60)
}

/// The statements that read a whole store, a page at a time.
private struct CheckStatements {
    struct Row {
        let number: Int64
        let id: EntityID
        /// Nil for a form that this build cannot read.
        let entity: StoredEntity?
    }

    static let pageSize = 500
    private let entities: String
    private let keys: String

    init(_ schema: Schema) {
        entities = """
            SELECT id, kind, seq, nonce, ring, language, parts, number FROM \(schema.quoted).entities
            WHERE number > $1::bigint ORDER BY number LIMIT \(Self.pageSize)
            """
        keys = """
            SELECT entity, digest, request_hmac, status, body, etag, (EXTRACT(EPOCH FROM ends - now()))::double precision
            FROM \(schema.quoted).keys WHERE entity > $1::bigint AND entity <= $2::bigint AND ends > now()
            """
    }

    func page(
        after last: Int64, on connection: Connection
    ) throws(PostgresFailure) -> (rows: [Row], keys: [Int64: [StoredKey]]) {
        var parameters = Parameters()
        parameters.add(Int(last))
        let answer = try connection.run(entities, parameters, within: PostgresStore.patience)
        let rows = (0..<answer.count).map { row in
            let id = EntityID(kind: answer.text(row, 1), text: answer.text(row, 0))
            let columns = (RowForm.ring(answer.bytes(row, 4)), RowForm.parts(answer.bytes(row, 6)))
            guard case (let ring?, let parts?) = columns else {
                return Row(number: answer.number(row, 7), id: id, entity: nil)
            }
            let entity = StoredEntity(
                id: id, head: answer.stamp(row, from: 2), ring: ring, language: answer.text(row, 5), parts: parts)
            return Row(number: answer.number(row, 7), id: id, entity: entity)
        }
        guard let end = rows.last?.number else { return ([], [:]) }
        parameters.add(Int(end))
        let found = try connection.run(keys, parameters, within: PostgresStore.patience)
        var keys: [Int64: [StoredKey]] = [:]
        for row in 0..<found.count {
            let remembered = Remembered(
                status: Int(found.number(row, 3)), body: found.bytes(row, 4),
                etag: found.isNull(row, 5) ? nil : found.text(row, 5))
            keys[found.number(row, 0), default: []].append(
                StoredKey(
                    digest: KeyDigest(found.bytes(row, 1)), request: found.bytes(row, 2), remembered: remembered,
                    window: .seconds(found.double(row, 6))))
        }
        return (rows, keys)
    }
}
