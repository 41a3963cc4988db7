import Entities
import Locking
import StoreParts

/// Entities in PostgreSQL, shared by any number of replicas.
///
/// It has four threads with a connection each: ``Writer``, ``Reader``, ``Keeper`` and ``Hints``. Connections hold no state of a
/// session, so the URI may lead to a transaction pooler; only hints need the server itself.
///
/// Every wait has a deadline. If the server does not answer a commit in time, the commit is ``CommitResult/unknown``, and the
/// writer leaves the connection behind. It never cancels the statement: a cancelled wait for a synchronous standby would show
/// other clients a commit that a fail-over may lose.
package final class PostgresStore: EntityStore {
    package let isShared = true

    private let writer: Writer
    private let keeper: Keeper
    private let hints: Hints
    private let closing: Closing

    /// Connects, creates the tables if they are missing, and starts the threads.
    ///
    /// Blocks meanwhile: at most two seconds for each host, and ``Settings/commitTimeout`` for each statement.
    ///
    /// - Parameter uri: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`, or any other form that libpq reads. Of
    ///   several hosts the store takes the first that takes writes.
    /// - Throws: ``PostgresStoreError`` for a malformed URI or schema, and if no host takes writes.
    package init(uri: String, settings: Settings = Settings()) throws(PostgresStoreError) {
        let target = try Target(uri)
        let direct = try settings.directURI.map { uri throws(PostgresStoreError) in try Target(uri) } ?? target
        let schema = try Schema(settings.schema)
        do throws(PostgresFailure) {
            try schema.prepare(try Connection(target), within: settings.commitTimeout)
        } catch {
            throw PostgresStoreError(target, error)
        }
        let common = Common(target: target, schema: schema, settings: settings)
        let closing = Closing(common.answers)
        // The threads end one after the other: each may give work to the next one.
        let hints = Hints(direct, schema, settings) { closing.end() }
        let keeper = Keeper(common, moved: { hints.tell($0) }, closed: { hints.close() })
        let writing = Lane<Writer.Request>()
        // A failed read makes the writer look whether the store is lost.
        let reader = Reader(common, failed: { _ = writing.add(.probe { _ in }) }, closed: { keeper.close() })
        writer = Writer(common, writing, reader, moved: { hints.tell($0) }, closed: { reader.close() })
        (self.keeper, self.hints, self.closing) = (keeper, hints, closing)
    }

    deinit { writer.close() }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        writer.add(.commit(commit, done))
    }

    package func end(_ id: EntityID, then done: @escaping @Sendable (CommitResult) -> Void) {
        writer.add(.end(id, done))
    }

    package func load(_ id: EntityID, then done: @escaping @Sendable (LoadResult) -> Void) {
        writer.add(.load(id, done))
    }

    package func head(of id: EntityID, then done: @escaping @Sendable (HeadResult) -> Void) {
        writer.add(.head(id, done))
    }

    package func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        writer.add(.key(key, id, done))
    }

    package func touch(_ ids: [EntityID]) { keeper.touch(ids) }

    package func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable ([EntityID]) -> Void) {
        keeper.expire(unusedFor: ttl, limit: limit, then: done)
    }

    package func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { hints.observe(moved) }

    package func isReady(then done: @escaping @Sendable (Bool) -> Void) { writer.probe(done) }

    package func close(then done: @escaping @Sendable () -> Void) {
        closing.whenEnded(done)
        writer.close()
    }
}

/// The end of a store's threads.
private final class Closing: Sendable {
    private let state = Lock((hasEnded: false, waiting: [@Sendable () -> Void]()))
    private let answers: Answers

    init(_ answers: Answers) { self.answers = answers }

    /// The last thread has ended.
    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting
        }
        answers.give { for done in waiting { done() } }
    }

    /// Calls back after the last thread, and after all other callbacks.
    func whenEnded(_ done: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiting.append(done) }
            return state.hasEnded
        }
        if hasEnded { answers.give(done) }
    }
}
