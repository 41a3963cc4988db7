public import Events
import Foundation
public import Sessions
import StoreParts

/// Keeps sessions in PostgreSQL, for any number of replicas of a service.
///
/// An acknowledged commit is where the database says that it is: on its disk, and with `synchronous_standby_names` on a
/// standby's, too. Commits are stored in groups: while one statement is under way, all that is submitted waits, and is then one
/// statement itself, whatever the number of sessions; so it is with questions. A few connections, each with a thread of its
/// own, serve all requests.
///
/// While the database is away, whatever is asked fails at once; a connection that was lost is made anew until it stands, with
/// whichever host of the URI can be written. A commit whose answer was lost, or that a standby keeps waiting, is
/// ``StoreFailure/unknown``: it is stored later, or never, and not both.
public final class PostgresStore: CopiedStore {
    private let database: Database
    private let writer: Writer
    private let state: WriterState
    private let readers: Readers
    /// For what is done now and then, and may be undone by a crash.
    private let housekeeper: Readers
    private let hints: Hints
    private let leases: Leases
    private let events: EventCounter

    /// Connects to a database, and makes its tables where they are missing.
    ///
    /// Blocks until the server has answered, or cannot be reached.
    ///
    /// - Parameters:
    ///   - uri: as libpq reads it, with several hosts where a standby may be promoted: `postgres://HOST,HOST/DATABASE`
    ///     (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
    ///   - schema: in which the tables are; made where it is missing.
    ///   - timeToLive: how long a session lives that nobody uses, as ``SessionLimits/timeToLive`` says. Where the tables were
    ///     used with another before, their sessions end as if they had always lived so long; nil leaves their ends alone.
    ///   - now: the time of day, by which a session or an outcome whose end has come is not found, and a session begins.
    ///   - isAlone: whether no other may have the tables open, as where they are copied.
    ///   - log: is told when the database can no longer be written or read, and when it can be again.
    /// - Throws: ``PostgresStoreError``.
    public convenience init(
        uri: String, schema: SchemaName = .standard, timeToLive: Duration? = nil,
        now: @escaping @Sendable () -> TimeOfDay = timeOfDay, isAlone: Bool = false, log: (any EventLog)? = nil
    ) throws(PostgresStoreError) {
        try self.init(
            uri: uri,
            settings: Settings(schema: schema, timeToLive: timeToLive, now: now, isAlone: isAlone, log: log))
    }

    init(uri: String, settings: Settings) throws(PostgresStoreError) {
        events = EventCounter(before: settings.log, Event.Kind.ofStores + Event.Kind.ofPostgres)
        var settings = settings
        settings.log = events
        database = try Database(Target(uri), settings)
        let watchdog = StoreWatchdog(database.target.description, settings.bounds, log: settings.log)
        state = WriterState(reasons: PostgresFailure.reasons, watchdog)
        readers = try Readers(database, watchdog, count: settings.readers)
        let housekeeper = try Readers(database, watchdog, count: 1, isToLast: false)
        self.housekeeper = housekeeper
        let (now, counts) = (settings.now, database.counts)
        let leases = Leases(database) { housekeeper.submit($0) }
        self.leases = leases
        let hints = try Hints(database, watchdog) { ids, watches in
            housekeeper.submit(
                .other { (reader) throws(PostgresFailure) in
                    let versions = try Self.versions(of: ids, at: now(), reader)
                    for id in ids where watches.tell(id, versions[id]) { counts.noteMissed() }
                } failed: { _ in
                    // Looked at again in a second.
                })
        } beat: {
            leases.beat()
        }
        self.hints = hints
        let writer = try Writer(database, state) { hints.tell($0, $1) }
        self.writer = writer
        // Weak: the writer has the hints.
        hints.whenLost { [weak writer] in writer?.submit(.probe { _ in }) }
    }

    /// What may be shown of a URI: user, hosts and database, and no password.
    public static func description(of uri: String) -> String { (try? Target(uri))?.description ?? "postgres://…" }

    /// The time of day of this machine.
    public static let timeOfDay: @Sendable () -> TimeOfDay = {
        TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    /// The session as it stands, or nil where there is none of that name or its time is over.
    public func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? {
        switch try await load(id, after: nil) {
        case .moved(let record): record
        case .asKnown, .gone: nil
        }
    }

    /// The session, where it stands elsewhere; one round trip for all that is asked at the time.
    public func load(_ id: SessionID, unless known: CommitVersion) async throws(StoreFailure) -> LoadedSession {
        try await load(id, after: known)
    }

    private func load(_ id: SessionID, after known: CommitVersion?) async throws(StoreFailure) -> LoadedSession {
        let result = await withCheckedContinuation { continuation in
            readers.submit(.load(id, unless: known) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// What a request with an idempotency key came to; one round trip for all that is asked at the time.
    public func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? {
        let result = await withCheckedContinuation { continuation in
            readers.submit(.outcome(key, id) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// All outcomes of a session that are to be remembered yet.
    public func outcomes(of id: SessionID) async throws(StoreFailure) -> [RememberedOutcome] {
        let now = database.settings.now()
        return try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.allOutcomes, [.bytes(id.bytea), .integer(now.secondsSince1970)])
            var outcomes: [RememberedOutcome] = []
            for row in 0..<answer.count {
                guard let key = KeyDigest(bytes: answer.bytes(row, 0)) else { throw PostgresFailure.unreadable }
                outcomes.append(Reader.outcome(row, of: answer, under: key))
            }
            return outcomes
        }
    }

    /// At which versions sessions stand, in one statement.
    public func versions(of ids: [SessionID]) async throws(StoreFailure) -> [SessionID: CommitVersion] {
        let now = database.settings.now()
        return try await readers.run { (reader) throws(PostgresFailure) in
            try Self.versions(of: ids, at: now, reader)
        }
    }

    private static func versions(
        of ids: [SessionID], at now: TimeOfDay, _ reader: Reader
    ) throws(PostgresFailure) -> [SessionID: CommitVersion] {
        let answer = try reader.run(\.versions, [.bytes(ids.map(\.bytea)), .integer(now.secondsSince1970)])
        var versions: [SessionID: CommitVersion] = [:]
        for row in 0..<answer.count { versions[answer.sessionID(row, 0)] = try answer.version(row, 1) }
        return versions
    }

    /// Tells of commits of this process at once, of others' within milliseconds, or where that was lost within a second.
    public func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? {
        hints.watches.add(id, moved)
    }

    /// Held by one replica at a time, while it beats each second: another takes over some five seconds after its death.
    public func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        leases.ask(id, isHeld)
    }

    /// Takes one commit into the next group; `done` is called on the writer's thread.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        writer.submit(
            .commit(PendingCommit(commit: commit, incarnation: database.incarnation, done: done)))
    }

    /// Forgets a session that stands at a version; one that is not there is no error.
    ///
    /// Its outcomes are found no more, and deleted at their end.
    public func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            writer.submit(.delete(id, at: version) { continuation.resume(returning: $0) })
        }
        if let failure { throw failure }
    }

    /// Puts off the end of sessions; without a wait for a disk, so a crash of the server may undo it.
    public func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {
        let all = Array(ends)
        for start in stride(from: 0, to: all.count, by: database.settings.groupLimit) {
            let batch = all[start...].prefix(database.settings.groupLimit)
            try await housekeeper.run { (reader) throws(PostgresFailure) in
                _ = try reader.run(
                    \.touch, [.bytes(batch.map(\.key.bytea)), .integers(batch.map(\.value.secondsSince1970))])
            }
        }
    }

    /// Forgets sessions whose end has come, the earliest first; those that somebody writes at the moment are passed over.
    ///
    /// - Returns: which were forgotten; less than the limit when none is left.
    public func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] {
        let ended = try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.deleteEnded, [.integer(now.secondsSince1970), .integer(Int64(limit))])
            return (0..<answer.count).map { answer.sessionID($0, 0) }
        }
        for id in ended { hints.tell(id, nil) }
        return ended
    }

    /// Forgets outcomes whose end has come, the earliest first.
    ///
    /// - Returns: how many were forgotten; less than the limit when none is left.
    public func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(
                \.deleteEndedOutcomes, [.integer(now.secondsSince1970), .integer(Int64(limit))])
            return Int(answer.integer(0, 0))
        }
    }

    /// Sessions in the order in which they were begun; of those that begin at the same moment on two replicas, one may be
    /// seen by the next look only.
    public func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.list, [.integer(place), .integer(Int64(limit))])
            return (0..<answer.count).map { row in
                SessionSummary(
                    id: answer.sessionID(row, 1), place: answer.integer(row, 0), begun: answer.time(row, 2),
                    end: answer.time(row, 3), bytes: Int(answer.integer(row, 4)))
            }
        }
    }

    /// How many sessions there are; reads all of them, so it is asked now and then.
    public func count() async throws(StoreFailure) -> Int {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            Int(try reader.run(\.count, []).integer(0, 0))
        }
    }

    /// The same for all replicas; another when the server has started anew, was restored, or a standby was promoted.
    public var incarnation: UInt64 { database.incarnation }

    /// Always: other replicas may have moved a session on.
    public var isShared: Bool { true }

    /// Whether commits are stored: whether they just were, or else whether one can be now; false after a second without.
    public func isReady() async -> Bool {
        guard readers.isConnected, !writer.isStuck(for: .milliseconds(900)) else { return false }
        // Others may store what the server refuses to one: then it is tried.
        if state.hasJustWorked, !database.isRefusing.load(ordering: .relaxed) { return true }
        return await FirstOutcome.within(.milliseconds(900)) { told in writer.submit(.probe { told($0 == nil) }) }
    }

    /// Finishes what was submitted, and disconnects.
    public func close() async {
        await writer.close()
        await readers.close()
        await hints.close()
        // Where the database is away, others take them over after a while.
        try? await housekeeper.run { [leases] (reader) throws(PostgresFailure) in try leases.releaseAll(reader) }
        await housekeeper.close()
    }
}

extension PostgresStore: Measured {
    /// How the writer stands, and what is counted of other replicas.
    public var measures: [Measure] {
        let leases = Measure(
            .gauge, "bindery_store_leases", "Sessions that change by themselves on this replica.", leases.count)
        return state.measures(isReached: readers.isConnected && writer.isUp)
            + database.counts.measures(ofConnections: database.settings.connections) + [leases] + events.measures
    }
}
