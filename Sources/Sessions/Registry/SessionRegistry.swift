import Locking
import ViewModels

/// Every session of a server.
///
/// Safe from any thread.
public final class SessionRegistry: Sendable {
    private struct Table {
        var sessions: [SessionID: Session] = [:]
        /// Sessions that are being created and count already.
        var reserved = 0
        /// Whether the store has a public session, as far as we know.
        var isPublicThere = false
        /// How many sessions have left memory; tells whether one that was read meanwhile may have ended or moved on.
        var departures = 0
    }

    /// The bounds within which the sessions live.
    public let limits: SessionLimits
    /// The view models each session has.
    public let catalogue: Catalogue
    private let surroundings: SessionSurroundings
    private let table = Lock(Table())
    private let creationOfPublicSession = Turnstile(())

    /// Keeps the sessions of a store.
    public init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits = SessionLimits(),
        timeline: any Timeline = SystemTimeline()
    ) {
        self.limits = limits
        self.catalogue = catalogue
        surroundings = SessionSurroundings(catalogue: catalogue, store: store, limits: limits, timeline: timeline)
    }

    /// How many sessions are in memory, the public one among them.
    public var count: Int { table.withLock { $0.sessions.count } }

    /// Begins a session.
    ///
    /// - Returns: the token by which it can be found again, and the session.
    /// - Throws: ``RegistryFailure/full``; ``SessionFailure/unavailable``.
    public func begin(language: Language) async throws -> (token: SessionToken, session: Session) {
        let stored = try await storedCount()
        let isAllowed = table.withLock { table in
            guard stored + table.reserved < limits.sessions else { return false }
            table.reserved += 1
            return true
        }
        guard isAllowed else { throw RegistryFailure.full }
        defer { table.withLock { $0.reserved -= 1 } }
        let token = SessionToken.random()
        return (token, try await create(token.sessionID, language: language))
    }

    /// How many sessions there are beside the public one, in memory or not.
    private func storedCount() async throws -> Int {
        let isPublicThere = table.withLock { $0.isPublicThere }
        do { return try await surroundings.store.count() - (isPublicThere ? 1 : 0) } catch {
            throw SessionFailure.unavailable
        }
    }

    /// The session a token stands for, or nil where it is unknown or has ended.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    public func session(for token: SessionToken) async throws -> Session? { try await session(token.sessionID) }

    /// The session a token stands for, if it is in memory.
    public func sessionAtHand(for token: SessionToken) -> Session? { atHand(token.sessionID) }

    /// The session that is shared by all who bring no token, if it is in memory.
    public var publicSessionAtHand: Session? { atHand(.public) }

    /// The session that is shared by all who bring no token; begun where there is none.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    public func publicSession() async throws -> Session {
        if let session = atHand(.public) { return session }
        return try await creationOfPublicSession.withTurn {
            if let session = try await session(.public) { return session }
            return try await create(.public, language: .standard)
        }
    }

    /// Ends a session; its polls and streams are told.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    public func end(_ session: Session) async throws {
        try await session.end()
        if session.id == .public { table.withLock { $0.isPublicThere = false } }
        forget(session)
    }

    /// Ends the sessions that nobody has used for their time to live.
    ///
    /// - Returns: how many.
    @discardableResult
    public func endExpired() async -> Int {
        let now = surroundings.timer.now
        let expired = table.withLock { table in
            table.sessions.values.filter { $0.id != .public && $0.idleTime(at: now) >= limits.timeToLive }
        }
        var count = 0
        for session in expired where (try? await session.end(ifIdleFor: limits.timeToLive)) == true {
            forget(session)
            count += 1
        }
        return count
    }

    /// Lets sessions leave memory that nobody has used or waited on for their time in memory.
    ///
    /// - Returns: how many.
    @discardableResult
    public func putAwayIdle() async -> Int {
        let now = surroundings.timer.now
        let idle = table.withLock { table in
            table.sessions.values.filter { !$0.isLive || $0.idleTime(at: now) >= limits.timeInMemory }
        }
        var count = 0
        for session in idle {
            // One that another replica ended is here for nothing.
            guard await session.putAway(ifIdleFor: limits.timeInMemory) || !session.isLive else { continue }
            forget(session)
            count += 1
        }
        return count
    }

    /// Tells the store of sessions that were only read, so that they do not end there.
    public func touchUsed() async {
        let sessions = table.withLock { Array($0.sessions.values) }
        var ends: [SessionID: SessionEnd] = [:]
        for session in sessions { ends[session.id] = session.endToStore() }
        // Where the store is away there is a next time.
        guard !ends.isEmpty, (try? await surroundings.store.touch(ends)) != nil else { return }
        for session in sessions { ends[session.id].map(session.noteStored) }
    }

    /// Forgets ended sessions that are in the store alone, a batch at a time so that no commit waits long.
    public func deleteEnded() async {
        let batch = 256
        while let count = try? await surroundings.store.deleteEnded(by: surroundings.timeOfDay, limit: batch),
            count == batch
        {}
    }

    /// Ends expired sessions and lets idle ones leave memory, for as long as the task lives: a hundred times in a time to
    /// live, four times in a time in memory, but not more often than once a second nor less often than once a minute.
    public func keepTidy() async {
        let wanted = min(limits.timeToLive / 100, limits.timeInMemory / 4)
        let pause = min(max(wanted, .seconds(1)), .seconds(60))
        while (try? await surroundings.timer.sleep(for: pause)) != nil {
            await touchUsed()
            await endExpired()
            await putAwayIdle()
            await deleteEnded()
        }
    }

    /// Answers every waiting poll and stream, now and from now on, because the server is about to stop.
    public func drain() {
        surroundings.isDraining = true
        for session in table.withLock({ Array($0.sessions.values) }) { session.drain() }
    }

    /// Stores what is still to be stored and closes the store; nothing is asked of the sessions afterwards.
    public func close() async {
        await touchUsed()
        await surroundings.store.close()
    }

    /// Whether the store can take commits.
    public func isReady() async -> Bool { await surroundings.store.isReady() }

    private func cached(_ id: SessionID) -> Session? {
        guard let session = table.withLock({ $0.sessions[id] }) else { return nil }
        guard session.use() else {
            forget(session)
            return nil
        }
        return session
    }

    /// The same where it can be shown without waiting.
    private func atHand(_ id: SessionID) -> Session? { cached(id).flatMap { $0.isDerived ? $0 : nil } }

    private func session(_ id: SessionID) async throws -> Session? {
        if let session = cached(id) {
            try await session.derive()
            return session
        }
        while true {
            let departures = table.withLock { $0.departures }
            let record: SessionRecord?
            do { record = try await surroundings.store.load(id) } catch { throw SessionFailure.unavailable }
            guard let record, record.end.map({ $0 > surroundings.timeOfDay }) ?? true else { return nil }
            // What was read may have ended since, or moved on and left memory; it must not come back to life.
            guard let session = keep(record, as: id, where: { $0.departures == departures }) else { continue }
            try await session.derive()
            return session
        }
    }

    private func create(_ id: SessionID, language: Language) async throws -> Session {
        let cursor = Cursor(epoch: .random(), seq: 0)
        let commit = Commit(id: id, base: nil, cursor: cursor, language: language, end: surroundings.end(of: id))
        do {
            try await surroundings.store.commit(commit)
        } catch .conflict {
            // Another replica was first with the public session; a token's hash is nobody else's.
            guard let session = try await session(id) else { throw SessionFailure.unavailable }
            return session
        } catch {
            throw SessionFailure.unavailable
        }
        guard let session = keep(SessionRecord(creating: commit), as: id, where: { _ in true }) else {
            throw SessionFailure.unavailable
        }
        return session
    }

    /// Keeps a session, unless it is here already: there is one instance of each.
    ///
    /// - Returns: nil where it is not wanted.
    private func keep(
        _ record: SessionRecord, as id: SessionID, where isWanted: (Table) -> Bool
    ) -> Session? {
        let session = Session(id: id, record: record, surroundings: surroundings)
        return table.withLock { table in
            guard isWanted(table) else { return nil }
            if id == .public { table.isPublicThere = true }
            if let known = table.sessions[id] { return known }
            table.sessions[id] = session
            return session
        }
    }

    private func forget(_ session: Session) {
        table.withLock { table in
            table.departures += 1
            if table.sessions[session.id] === session { table.sessions.removeValue(forKey: session.id) }
        }
    }
}
