import Dispatch
import Entities
import Foundation
import StoreParts

/// Entities in PostgreSQL, shared by any number of replicas.
///
/// It has four threads with a connection each: ``Writer``, ``Reader``, ``Keeper`` and ``Hints``. The connections have no
/// session state, so the URI may lead to a transaction pooler; only hints need the server itself.
///
/// Every wait has a deadline. If the server does not answer a commit in time, the commit is ``CommitResult/unknown``, and
/// the writer drops the connection. It never cancels the statement: after a cancelled wait for a synchronous standby, other
/// clients would see a commit that a fail-over may lose.
package final class PostgresStore: EntityStore {
    package let isShared = true

    package var now: Duration { common.now }
    private let common: Common
    /// Empty once the last thread has ended.
    private let threads = DispatchGroup()

    /// Connects, creates the tables if they are missing, and starts the threads.
    ///
    /// Blocks meanwhile: at most two seconds for each host, and ``Settings/commitTimeout`` for each statement.
    ///
    /// - Parameter uri: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`, or any other form that libpq reads. Of
    ///   several hosts the store uses the first that accepts writes.
    /// - Throws: ``PostgresStoreError`` for a malformed URI or schema, and if no host accepts writes.
    package init(uri: String, settings: Settings = Settings()) throws(PostgresStoreError) {
        let target = try Target(uri)
        let direct = try settings.directURI.map { uri throws(PostgresStoreError) in try Target(uri) } ?? target
        let schema = try Schema(settings.schema)
        do throws(PostgresFailure) {
            try schema.prepare(try Connection(target), within: settings.commitTimeout)
        } catch {
            throw PostgresStoreError(target, error)
        }
        let hints = Hints(direct, schema, settings)
        common = Common(target, schema, settings, hints)
        threads.enter()
        // The threads end one after the other, because each may give work to the next one.
        Thread.start(named: "store-writer") { [common] in
            var writer = Writer(common)
            writer.run()
            common.questions.close()
        }
        Thread.start(named: "store-reader") { [common] in
            var reader = Reader(common)
            reader.run()
            common.chores.close()
        }
        Thread.start(named: "store-keeper") { [common] in
            var keeper = Keeper(common)
            keeper.run()
            hints.close()
        }
        Thread.start(named: "store-hints") { [threads] in
            hints.run()
            threads.leave()
        }
    }

    deinit { common.writes.close() }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        if !common.writes.add(.write(Write(commit, done))) { common.answers.async { done(.refused) } }
    }

    package func load(_ id: EntityID, then done: @escaping @Sendable (ReadResult<StoredEntity>) -> Void) {
        ask(.load(id, done))
    }

    package func head(of id: EntityID, then done: @escaping @Sendable (ReadResult<Stamp>) -> Void) {
        ask(.head(id, done))
    }

    package func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        ask(.key(key, id, done))
    }

    private func ask(_ question: Question) {
        if !common.questions.add(question) { common.answers.async { question.fail() } }
    }

    package func touch(_ ids: [EntityID]) { _ = common.chores.add { $0.touch(ids) } }

    package func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void) {
        let isTaken = common.chores.add { [common] keeper in
            let expired = keeper.expire(ttl, limit)
            if !expired.ended.isEmpty { common.hints.tell(expired.ended) }
            common.answers.async { done(expired) }
        }
        if !isTaken { common.answers.async { done(Expired()) } }
    }

    package func sessions(of user: String, limit: Int, then done: @escaping @Sendable ([EntityID]?) -> Void) {
        let isTaken = common.chores.add { [common] keeper in
            let found = keeper.sessions(of: user, limit)
            common.answers.async { done(found) }
        }
        if !isTaken { common.answers.async { done(nil) } }
    }

    package func takeDue(limit: Int, for lease: Duration, then done: @escaping @Sendable (DueEntities?) -> Void) {
        let isTaken = common.chores.add { [common] keeper in
            let due = keeper.takeDue(limit, lease)
            common.answers.async { done(due) }
        }
        if !isTaken { common.answers.async { done(nil) } }
    }

    package func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { common.hints.observe(moved) }

    /// Whether commits succeed; if none was stored lately, the writer makes a test commit.
    package func isReady(then done: @escaping @Sendable (Bool) -> Void) {
        // Behind a hanging statement, the probe would wait.
        let hangs = common.health.busyTime > .seconds(2)
        if hangs || !common.writes.add(.probe(done)) { common.answers.async { done(false) } }
    }

    package func close(then done: @escaping @Sendable () -> Void) {
        threads.notify(queue: common.answers, execute: done)
        common.writes.close()
    }
}
