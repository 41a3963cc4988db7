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
    let database: Database
    private let writer: Writer
    private let state: WriterState
    private let readers: Readers
    /// For what is done now and then, and may be undone by a crash.
    let housekeeper: Readers
    let hints: Hints
    let sessionCount: SessionCount
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
    ///   - now: the time of day, by which a session or an outcome whose end has come is not found, and a session begins; nil for
    ///     the server's clock, which is the same for all replicas.
    ///   - purpose: what the tables are opened for; made where they are missing, but to be copied from.
    ///   - log: is told when the database can no longer be written or read, and when it can be again.
    /// - Throws: ``PostgresStoreError``.
    public convenience init(
        uri: String, schema: SchemaName = .standard, timeToLive: Duration? = nil,
        now: (@Sendable () -> TimeOfDay)? = nil, purpose: StorePurpose = .service, log: (any EventLog)? = nil
    ) throws(PostgresStoreError) {
        try self.init(
            uri: uri,
            settings: Settings(schema: schema, timeToLive: timeToLive, now: now, purpose: purpose, log: log))
    }

    init(uri: String, settings: Settings) throws(PostgresStoreError) {
        events = EventCounter(before: settings.log, Event.Kind.ofStores + Event.Kind.ofPostgres)
        var settings = settings
        settings.log = events
        let (database, holder) = try Database.open(Target(uri), settings)
        self.database = database
        let watchdog = StoreWatchdog(database.target.description, settings.bounds, log: settings.log)
        state = WriterState(reasons: PostgresFailure.reasons, watchdog)
        readers = try Readers(database, watchdog, count: settings.readers)
        let housekeeper = try Readers(database, watchdog, count: 1, isToLast: false)
        self.housekeeper = housekeeper
        sessionCount = SessionCount(database, housekeeper)
        let counts = database.counts
        let leases = Leases(database) { [readers] in readers.submit($0) }
        self.leases = leases
        let hints = try Hints(database, watchdog) { [readers] ids, watches in
            readers.submit(
                .other { (reader) throws(PostgresFailure) in
                    let versions = try Self.versions(of: ids, at: database.now, reader)
                    for id in ids where watches.tell(id, versions[id]) { counts.noteMissed() }
                } failed: { _ in
                    // Looked at again in a second.
                })
        } beat: {
            leases.beat()
        }
        self.hints = hints
        let writer = try Writer(database, state) {
            hints.tell($0, $1)
        } ask: { [readers] in
            readers.submit($0)
        }
        self.writer = writer
        // Weak: the writer has the hints.
        hints.whenLost { [weak writer] in writer?.submit(.probe { _ in }) }
        // The writer's connection holds the tables from here on.
        withExtendedLifetime(holder) {}
        moveEnds()
    }

    /// What may be shown of a URI: user, hosts and database, and no password.
    public static func description(of uri: String) -> String { (try? Target(uri))?.description ?? "postgres://…" }

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

    /// At which versions sessions stand, in one statement.
    public func versions(of ids: [SessionID]) async throws(StoreFailure) -> [SessionID: CommitVersion] {
        let now = database.now
        return try await readers.run { (reader) throws(PostgresFailure) in
            try Self.versions(of: ids, at: now, reader)
        }
    }

    private static func versions(
        of ids: [SessionID], at now: TimeOfDay, _ reader: Reader
    ) throws(PostgresFailure) -> [SessionID: CommitVersion] {
        let answer = try reader.run(\.versions, [.bytes(ids.map(\.bytea)), .integer(now.secondsSince1970)])
        var versions: [SessionID: CommitVersion] = [:]
        for row in 0..<answer.count {
            // Of one that cannot be read whoever watches it is told that it has moved, and finds that out by a look.
            versions[answer.sessionID(row, 0)] = (try? answer.version(row, 1)) ?? CommitVersion(number: 0, nonce: 0)
        }
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
        writer.submit(.commit(PendingCommit(commit: commit, incarnation: database.incarnation, done: done)))
    }

    /// Forgets a session that stands at a version; one that is not there is no error.
    ///
    /// Its outcomes are found no more, and deleted at their end.
    public func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            writer.submit(.delete(PendingDeletion(id: id, version: version) { continuation.resume(returning: $0) }))
        }
        if let failure { throw failure }
    }

    /// Whether it can still be written: one that is alone with the tables, and was cut off, is so no more.
    package func isAlone() async -> Bool {
        await withCheckedContinuation { told in writer.submit(.probe { told.resume(returning: $0 == nil) }) }
    }

    /// The same for all replicas; another when the server has started anew, was restored, or a standby was promoted.
    public var incarnation: UInt64 { database.incarnation }

    /// The server's clock, where none was given: that of one replica may be wrong, and would end the sessions of all.
    public var timeOfDay: TimeOfDay? { database.settings.now == nil ? database.now : nil }

    /// Always: other replicas may have moved a session on.
    public var isShared: Bool { true }

    /// Whether sessions can be read, and commits are stored: whether they just were, or else whether one can be now; false after
    /// a second without.
    public func isReady() async -> Bool {
        guard readers.isConnected, !writer.isStuck(for: .milliseconds(900)) else { return false }
        async let canRead = FirstOutcome.within(.milliseconds(900), otherwise: false) { told in
            readers.submit(.load(Self.nobody, unless: nil) { told((try? $0.get()) != nil) })
        }
        // Others may store what the server refuses to one: then it is tried.
        if state.hasJustWorked, !database.isRefusing.load(ordering: .relaxed) { return await canRead }
        async let canWrite = FirstOutcome.within(.milliseconds(900), otherwise: false) { told in
            writer.submit(.probe { told($0 == nil) })
        }
        return await (canRead, canWrite) == (true, true)
    }

    /// A session that is not there.
    private static let nobody = SessionID(rawValue: "nobody")

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
    package var measures: [Measure] {
        let leases = Measure(
            .gauge, "bindery_store_leases", "Sessions that change by themselves on this replica.", leases.count)
        let clock = Measure(
            .gauge, "bindery_store_clock_offset_seconds",
            "By how much this machine's clock is ahead of the database's, which counts.", database.clock.secondsAhead)
        let risks = Measure(
            .gauge, "bindery_store_at_risk", "Reasons for which what is answered may be lost with the database server.",
            database.risks.withLock { $0.count })
        return state.measures(isReached: readers.isConnected && writer.isUp)
            + database.counts.measures(ofConnections: database.settings.connections) + [leases, clock, risks]
            + events.measures
    }
}
