import Entities
import StoreParts

/// Records uses, finds due effects and the sessions of a user, and deletes expired rows.
///
/// It has its own thread and connection, so that no commit waits for it. All times are the database's.
struct Keeper {
    /// How many rows one statement touches; it holds their locks until the standby has the commit.
    private static let touchesAtOnce = 256

    private let common: Common
    private var link: Link
    private let schema: String
    private var timeout: Duration { common.settings.commitTimeout }

    init(_ common: Common) { (self.common, link, schema) = (common, common.link(), common.schema.quoted) }

    /// Works until the lane is closed and everything is done.
    mutating func run() {
        while let chores = common.chores.take(atMost: 16) {
            for chore in chores { chore(&self) }
        }
    }

    mutating func sessions(of user: String, _ limit: Int) -> [EntityID]? {
        let statement = """
            SELECT id FROM \(schema).entities WHERE owner = $1::text ORDER BY used DESC LIMIT $2::bigint
            """
        let answer = try? link.run(statement, within: common.settings.readTimeout) {
            $0.add(user)
            $0.add(limit)
        }
        return answer.map { answer in (0..<answer.count).map { .session(answer.text($0, 0)) } }
    }

    mutating func takeDue(_ limit: Int, _ lease: Duration) -> DueEntities? {
        // The last row has only the database's time.
        let statement = """
            WITH held AS (
                SELECT number, id, kind, due FROM \(schema).entities
                WHERE due <= now() ORDER BY due LIMIT $1::bigint FOR UPDATE SKIP LOCKED
            ), taken AS (
                UPDATE \(schema).entities SET due = now() + $2::double precision * INTERVAL '1 second'
                WHERE number IN (SELECT number FROM held)
            )
            SELECT id, kind, (EXTRACT(EPOCH FROM due) * 1000)::bigint AS due FROM held
            UNION ALL SELECT '', '', (EXTRACT(EPOCH FROM now()) * 1000)::bigint ORDER BY due
            """
        let answer = try? link.run(statement, within: timeout) {
            $0.add(limit)
            $0.add(lease / .seconds(1))
        }
        guard let answer, let last = (0..<answer.count).last else { return nil }
        let now = Duration.milliseconds(answer.number(last, 2))
        common.note(now)
        let first = last == 0 ? nil : answer.number(0, 2)
        return DueEntities((0..<last).map(answer.id), now: now, first: first)
    }

    mutating func touch(_ ids: [EntityID]) {
        // It waits for rows that are held, in the order of `number`, so two cannot deadlock.
        let statement = """
            WITH held AS (
                SELECT number FROM \(schema).entities WHERE id = ANY ($1::text[]) ORDER BY number FOR UPDATE
            )
            UPDATE \(schema).entities SET used = now() WHERE number IN (SELECT number FROM held)
            """
        for start in stride(from: 0, to: ids.count, by: Self.touchesAtOnce) {
            let some = ids[start..<min(start + Self.touchesAtOnce, ids.count)]
            // A failure loses only this record of a use.
            _ = try? link.run(statement, within: timeout) { $0.add(texts: some.map(\.text)) }
        }
    }

    mutating func expire(_ ttl: Duration, _ limit: Int) -> Expired {
        let keyStatement = """
            WITH held AS (
                SELECT entity, digest FROM \(schema).keys
                WHERE ends <= now() ORDER BY ends LIMIT $1::bigint FOR UPDATE SKIP LOCKED
            )
            DELETE FROM \(schema).keys k USING held h WHERE k.entity = h.entity AND k.digest = h.digest
            """
        let statement = """
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
        let forgotten = try? link.run(keyStatement, within: timeout) { $0.add(limit) }
        let answer = try? link.run(statement, within: timeout) {
            $0.add(ttl / .seconds(1))
            $0.add(limit)
        }
        guard let answer else { return Expired() }
        return Expired(
            ended: (0..<answer.count).map { .session(answer.text($0, 0)) },
            mayHaveMore: max(answer.count, forgotten?.changes ?? 0) == limit)
    }
}
