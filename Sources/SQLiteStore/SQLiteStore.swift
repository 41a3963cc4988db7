public import Events
import Foundation
import Sessions
import StoreParts

/// Keeps sessions in a file, for one process at a time.
///
/// An acknowledged commit survives what its ``Durability`` says. Commits are stored in groups: while one transaction is
/// written, all that is submitted waits, and is then one transaction itself. So a flush of the disk serves many commits,
/// and one session's commits of a group cost one write.
///
/// SQLite's write-ahead log is used (https://sqlite.org/wal.html): beside `PATH` there are `PATH-wal` and `PATH-shm` while
/// the store is open, and `PATH-lock`, by which a second store of the file is refused. Where the path is a symbolic link, they
/// are beside the file that it leads to. One thread writes and a few read; none of them is of the cooperative pool.
///
/// Where the file cannot be written (the disk is full, another program holds a lock), a group fails whole with
/// ``StoreFailure/notSent``, and the next is tried anew: the store mends itself when the cause is gone.
/// What another program writes to the file is noticed before the next group, of which nothing is then stored over it.
/// Where `PATH-lock` was moved or deleted, it stores nothing more until it is opened anew: another process may have the file.
public final class SQLiteStore: CopiedStore {
    /// Where the file is, absolute and without links.
    public let path: String
    private let settings: Settings
    let writer: Writer
    private let readers: Readers
    let events: EventCounter

    /// Opens a store, and makes its file where there is none.
    ///
    /// Blocks while the file is checked: where the last store of it was not closed, all of it is read
    /// (https://sqlite.org/pragma.html#pragma_quick_check), about a second for a gigabyte in memory.
    ///
    /// - Parameters:
    ///   - path: the file; its directory has to be there.
    ///   - durability: what an acknowledged commit survives.
    ///   - timeToLive: how long a session lives that nobody uses, as ``SessionLimits/timeToLive`` says. Where the file was opened with
    ///     another before, its sessions end as if they had always lived so long; nil leaves their ends alone.
    ///   - now: the time of day, by which a session or an outcome whose end has come is not found, and a session begins.
    ///   - purpose: what the file is opened for; made where it is missing, but to be copied from.
    ///   - log: is told when the file was opened, when it can no longer be written or read, and when it can be again.
    /// - Throws: ``SQLiteStoreError``; the file is then as it was.
    public convenience init(
        path: String, durability: Durability = .power, timeToLive: Duration? = nil,
        now: @escaping @Sendable () -> TimeOfDay = timeOfDay, purpose: StorePurpose = .service,
        log: (any EventLog)? = nil
    ) throws(SQLiteStoreError) {
        try self.init(
            path: path,
            settings: Settings(
                durability: durability, purpose: purpose, timeToLive: timeToLive, now: now, log: log))
    }

    init(path: String, settings: Settings) throws(SQLiteStoreError) {
        self.path = RealPath.resolve(path)
        if settings.purpose == .source { try Backup.requireStore(self.path, to: "be copied") }
        events = EventCounter(before: settings.log, Event.Kind.ofStores + Event.Kind.ofStore)
        var settings = settings
        settings.log = events
        self.settings = settings
        let watchdog = StoreWatchdog(self.path, settings.bounds, every: settings.lookInterval, log: settings.log)
        writer = try Writer(self.path, settings, watchdog)
        readers = try Readers(self.path, settings, watchdog)
    }

    /// The time of day of this machine.
    public static let timeOfDay: @Sendable () -> TimeOfDay = {
        TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    /// The session as it stands, or nil where there is none of that name or its time is over.
    public func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? { try await readers.load(id) }

    /// What a request with an idempotency key came to; one look-up, on a thread of the store's readers.
    public func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? {
        try await readers.outcome(of: key, in: id)
    }

    /// All outcomes of a session that are to be remembered yet.
    package func outcomes(of id: SessionID) async throws(StoreFailure) -> [RememberedOutcome] {
        try await readers.outcomes(of: id)
    }

    /// Takes one commit into the next group; `done` is called on the writer's thread.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        writer.submit(.commit(commit, in: incarnation, done))
    }

    /// Forgets a session that stands at a version; one that is not there is no error.
    ///
    /// Its outcomes are deleted by and by, between commits.
    public func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        try await write { .delete(id, at: version, $0) }
    }

    /// Notes in a table of the file whether it is being filled (``Filling``).
    package func noteFilling(from source: String?) async throws(StoreFailure) {
        try await write { .noteFilling(from: source, $0) }
    }

    /// Puts off the end of sessions; without a flush of the disk of its own, so a loss of power may undo it.
    ///
    /// In batches, so that commits go between them; where one fails, those before it are stored. In the order in which the
    /// sessions lie in the file, so that a batch writes few pages: measured with 50,000 of them and one client that commits
    /// meanwhile, 1.2 s instead of 3.6 as they come. As one transaction it took 0.6 s, for which that client waited.
    public func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {
        var all: [(number: Int64, id: SessionID, end: TimeOfDay)] = []
        all.reserveCapacity(ends.count)
        for batch in Array(ends).batches(of: settings.touchBatch) {
            let numbers = try await readers.numbers(of: batch.map(\.key))
            for (number, (id, end)) in zip(numbers, batch) { all.append((number, id, end)) }
        }
        all.sort { $0.number < $1.number }
        for batch in all.batches(of: settings.touchBatch) {
            try await write { .touch(batch.map { ($0.id, $0.end) }, $0) }
        }
    }

    /// Forgets sessions whose end has come, the earliest first.
    ///
    /// - Parameter limit: how many at most; about 10 µs each, for which commits wait.
    /// - Returns: which were forgotten; less than the limit when none is left.
    public func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] {
        let result = await withCheckedContinuation { continuation in
            writer.submit(.deleteEnded(now, limit: limit) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Forgets outcomes whose end has come, the earliest first.
    ///
    /// - Parameter limit: how many at most; about 10 µs each, for which commits wait.
    /// - Returns: how many were forgotten; less than the limit when none is left.
    public func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int {
        let result = await withCheckedContinuation { continuation in
            writer.submit(.deleteEndedOutcomes(now, limit: limit) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// Sessions in the order of their creation, read by one of the store's readers: a thousand of seven view models in some
    /// milliseconds.
    public func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        try await readers.sessions(after: place, limit: limit)
    }

    /// Another each time a file is opened, and when another program has written it: it may have been put back to an older
    /// copy.
    public var incarnation: UInt64 { writer.incarnation }

    /// Never: the file is for one process at a time.
    public var isShared: Bool { false }

    /// How many sessions there are.
    ///
    /// Those are among them whose end has come and that were not deleted yet. The number is kept: asking costs nothing.
    public func count() -> Int { writer.state.count }

    /// Whether the store can take commits: whether it just did, or else whether something can be written now; false after
    /// one and a half seconds without an answer, and at once where it is known to hang.
    public func isReady() async -> Bool {
        guard !writer.state.watchdog.hangs else { return false }
        if writer.state.hasJustWorked { return true }
        return await FirstOutcome.within(settings.readinessTimeout, otherwise: false) { told in
            writer.submit(.probe { told($0 == nil) })
        }
    }

    /// Finishes what was submitted, copies the log into the file, and lets go of it.
    ///
    /// A store that is dropped without being closed does so too, but nobody can wait for it.
    public func close() async {
        await readers.close()
        await writer.close()
    }

    private func write(
        _ work: (@escaping @Sendable (StoreFailure?) -> Void) -> Work
    ) async throws(StoreFailure) {
        let failure = await withCheckedContinuation { continuation in
            writer.submit(work { continuation.resume(returning: $0) })
        }
        if let failure { throw failure }
    }
}

extension Array {
    /// The elements in their order, so many at a time.
    fileprivate func batches(of size: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: size).lazy.map { self[$0..<Swift.min($0 + size, count)] }
    }
}
