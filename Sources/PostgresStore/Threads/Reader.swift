import Entities
import StoreParts

/// Reads entities, heads and keys: one thread with one connection takes all waiting questions at once.
struct Reader {
    /// How many entities one statement loads; each may have a mebibyte.
    static let loadsAtOnce = 64

    private let common: Common
    private var link: Link
    private var timeout: Duration { common.settings.readTimeout }
    private let loadStatement: String
    private let headStatement: String
    /// For a missing key, it returns the number of the entity's keys.
    private let keyStatement: String

    init(_ common: Common) {
        (self.common, link) = (common, common.link())
        let schema = common.schema.quoted
        loadStatement = """
            SELECT id, kind, seq, nonce, ring, language, parts FROM \(schema).entities WHERE id = ANY ($1::text[])
            """
        headStatement = "SELECT id, kind, seq, nonce FROM \(schema).entities WHERE id = ANY ($1::text[])"
        keyStatement = """
            SELECT a.place, k.digest, k.request_hmac, k.status, k.body, k.etag,
                (EXTRACT(EPOCH FROM k.ends - now()))::double precision,
                CASE WHEN k.digest IS NULL THEN (
                    SELECT count(*) FROM \(schema).keys o WHERE o.entity = e.number AND o.ends > now()
                    AND o.digest BETWEEN a.low AND a.high
                ) ELSE 0 END
            FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bytea[]) AS a (id, digest, place, low, high)
            LEFT JOIN \(schema).entities e ON e.id = a.id
            LEFT JOIN \(schema).keys k ON k.entity = e.number AND k.digest = a.digest AND k.ends > now()
            """
    }

    /// Works until the lane is closed and everything is answered.
    mutating func run() {
        while let questions = common.questions.take(atMost: 1_024) {
            let replies = answer(questions)
            common.answers.async { for reply in replies { reply() } }
        }
    }

    /// Asks the database, one statement for each kind of question.
    ///
    /// - Returns: the replies in the order of the questions.
    private mutating func answer(_ questions: [Question]) -> [@Sendable () -> Void] {
        var loads: [EntityID: ReadResult<StoredEntity>] = [:]
        var heads: [EntityID: ReadResult<Stamp>] = [:]
        var keys: [(KeyDigest, EntityID)] = []
        for question in questions {
            switch question {
            case .load(let id, _): loads[id] = .missing
            case .head(let id, _): heads[id] = .missing
            case .key(let key, let id, _): keys.append((key, id))
            }
        }
        var keyResults: [KeyResult] = []
        do throws(PostgresFailure) {
            if !loads.isEmpty { try load(&loads) }
            if !heads.isEmpty { try look(&heads) }
            if !keys.isEmpty { keyResults = try lookUp(keys) }
        } catch {
            // The probe finds out whether the store is lost.
            _ = common.writes.add(.probe { _ in })
            return questions.map { question in { question.fail() } }
        }
        var nextKey = keyResults.makeIterator()
        return questions.map { question in
            switch question {
            case .load(let id, let done): return { [result = loads[id] ?? .failed] in done(result) }
            case .head(let id, let done): return { [result = heads[id] ?? .failed] in done(result) }
            case .key(_, _, let done): return { [result = nextKey.next() ?? .failed] in done(result) }
            }
        }
    }

    private mutating func load(_ loads: inout [EntityID: ReadResult<StoredEntity>]) throws(PostgresFailure) {
        let ids = Array(loads.keys)
        for start in stride(from: 0, to: ids.count, by: Self.loadsAtOnce) {
            let some = ids[start..<min(start + Self.loadsAtOnce, ids.count)]
            let answer = try link.run(loadStatement, within: timeout) { $0.add(texts: some.map(\.text)) }
            for row in 0..<answer.count {
                if let entity = answer.entity(row) {
                    loads[entity.id] = .found(entity)
                } else {
                    common.settings.tell(.unreadable(answer.id(row)))
                    loads[answer.id(row)] = .failed
                }
            }
        }
    }

    private mutating func look(_ heads: inout [EntityID: ReadResult<Stamp>]) throws(PostgresFailure) {
        let answer = try link.run(headStatement, within: timeout) { [ids = heads.keys] in $0.add(texts: ids.map(\.text))
        }
        for row in 0..<answer.count { heads[answer.id(row)] = .found(answer.stamp(row, from: 2)) }
    }

    private mutating func lookUp(_ keys: [(digest: KeyDigest, id: EntityID)]) throws(PostgresFailure) -> [KeyResult] {
        let answer = try link.run(keyStatement, within: timeout) { parameters in
            parameters.add(texts: keys.map(\.id.text))
            parameters.add(bytes: keys.map(\.digest.bytes))
            parameters.add(numbers: keys.indices.map { Int64($0) })
            parameters.add(bytes: keys.map(\.digest.counted?.first))
            parameters.add(bytes: keys.map(\.digest.counted?.last))
        }
        var results = [KeyResult](repeating: .missing(count: 0), count: keys.count)
        for row in 0..<answer.count {
            results[Int(answer.number(row, 0))] =
                answer.isNull(row, 1)
                ? .missing(count: Int(answer.number(row, 7))) : .found(answer.key(row, from: 1))
        }
        return results
    }
}
