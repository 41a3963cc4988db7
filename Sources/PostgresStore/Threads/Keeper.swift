import Entities
import StoreParts

/// Notes uses, finds the sessions of a user and due effects, and deletes what has expired.
///
/// It has a thread and a connection of its own, so that no commit waits for it.
///
/// All times are the database's.
struct Keeper {
    /// How many rows one statement notes: it holds their locks until the standby has it.
    private static let touchesAtOnce = 256

    private let common: Common
    private var link: Link
    /// It waits for rows that are held, in the order of `number`, so two cannot deadlock.
    private let touchStatement: String
    private let expireStatement: String
    private let keyStatement: String
    private let sessionStatement: String
    private let dueStatement: String

    init(_ common: Common) {
        (self.common, link) = (common, common.link())
        let schema = common.schema.quoted
        touchStatement = """
            WITH held AS (
                SELECT number FROM \(schema).entities WHERE id = ANY ($1::text[]) ORDER BY number FOR UPDATE
            )
            UPDATE \(schema).entities SET used = now() WHERE number IN (SELECT number FROM held)
            """
        expireStatement = """
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
        sessionStatement = """
            SELECT id FROM \(schema).entities WHERE owner = $1::text ORDER BY used DESC LIMIT $2::bigint
            """
        // The last row has the database's time alone.
        dueStatement = """
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
        keyStatement = """
            WITH held AS (
                SELECT entity, digest FROM \(schema).keys
                WHERE ends <= now() ORDER BY ends LIMIT $1::bigint FOR UPDATE SKIP LOCKED
            )
            DELETE FROM \(schema).keys k USING held h WHERE k.entity = h.entity AND k.digest = h.digest
            """
    }

    /// Works until the lane is closed and everything is done.
    mutating func run() {
        while let chores = common.chores.take(atMost: 16) {
            for chore in chores { chore(&self) }
        }
    }

    mutating func sessions(of user: String, _ limit: Int) -> [EntityID]? {
        var parameters = Parameters()
        parameters.add(user)
        parameters.add(limit)
        let answer = try? link.run(sessionStatement, parameters, within: common.settings.readTimeout)
        return answer.map { answer in (0..<answer.count).map { .session(answer.text($0, 0)) } }
    }

    mutating func takeDue(_ limit: Int, _ lease: Duration) -> DueEntities? {
        var parameters = Parameters()
        parameters.add(limit)
        parameters.add(lease / .seconds(1))
        let answer = try? link.run(dueStatement, parameters, within: common.settings.commitTimeout)
        guard let answer, let last = (0..<answer.count).last else { return nil }
        let now = Duration.milliseconds(answer.number(last, 2))
        common.note(now)
        let first = last == 0 ? nil : answer.number(0, 2)
        return DueEntities((0..<last).map(answer.id), now: now, first: first)
    }

    mutating func touch(_ ids: [EntityID]) {
        for start in stride(from: 0, to: ids.count, by: Self.touchesAtOnce) {
            var parameters = Parameters()
            parameters.add(texts: ids[start..<min(start + Self.touchesAtOnce, ids.count)].map(\.text))
            // A failure only loses the note.
            _ = try? link.run(touchStatement, parameters, within: common.settings.commitTimeout)
        }
    }

    mutating func expire(_ ttl: Duration, _ limit: Int) -> Expired {
        var keys = Parameters()
        keys.add(limit)
        let forgotten = try? link.run(keyStatement, keys, within: common.settings.commitTimeout)
        var parameters = Parameters()
        parameters.add(ttl / .seconds(1))
        parameters.add(limit)
        let answer = try? link.run(expireStatement, parameters, within: common.settings.commitTimeout)
        guard let answer else { return Expired() }
        return Expired(
            ended: (0..<answer.count).map { .session(answer.text($0, 0)) },
            mayHaveMore: max(answer.count, forgotten?.changes ?? 0) == limit)
    }
}
