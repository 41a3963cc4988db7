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
        /// How many sessions were forgotten; tells whether one that was loaded meanwhile may have ended.
        var endings = 0
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
        let isAllowed = table.withLock { table in
            let others = table.sessions.count - (table.sessions[.public] == nil ? 0 : 1)
            guard others + table.reserved < limits.sessions else { return false }
            table.reserved += 1
            return true
        }
        guard isAllowed else { throw RegistryFailure.full }
        let token = SessionToken.random()
        do {
            return (token, try await create(token.sessionID, language: language) { $0.reserved -= 1 })
        } catch {
            table.withLock { $0.reserved -= 1 }
            throw error
        }
    }

    /// The session a token stands for, or nil where it is unknown or has ended.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    public func session(for token: SessionToken) async throws -> Session? { try await session(token.sessionID) }

    /// The session a token stands for, if it is in memory.
    public func sessionAtHand(for token: SessionToken) -> Session? { cached(token.sessionID) }

    /// The session that is shared by all who bring no token, if it is in memory.
    public var publicSessionAtHand: Session? { cached(.public) }

    /// The session that is shared by all who bring no token; begun where there is none.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    public func publicSession() async throws -> Session {
        if let session = cached(.public) { return session }
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

    /// Ends expired sessions for as long as the task lives: a hundred times in a time to live, but not more often
    /// than once a second nor less often than once a minute.
    public func endExpiredSessions() async {
        let pause = min(max(limits.timeToLive / 100, .seconds(1)), .seconds(60))
        while (try? await surroundings.timer.sleep(for: pause)) != nil { await endExpired() }
    }

    /// Answers every waiting poll and stream, now and from now on, because the server is about to stop.
    public func drain() {
        surroundings.isDraining = true
        for session in table.withLock({ Array($0.sessions.values) }) { session.drain() }
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

    private func session(_ id: SessionID) async throws -> Session? {
        if let session = cached(id) { return session }
        while true {
            let endings = table.withLock { $0.endings }
            let record: SessionRecord?
            do { record = try await surroundings.store.load(id) } catch { throw SessionFailure.unavailable }
            guard let record else { return nil }
            // What was read may have ended since; it must not come back to life.
            if let session = keep(record, as: id, where: { $0.endings == endings }) { return session }
        }
    }

    private func create(
        _ id: SessionID, language: Language, counting count: (inout Table) -> Void = { _ in }
    ) async throws -> Session {
        let record = SessionRecord(epoch: .random(), seq: 0, language: language)
        let commit = Commit(
            id: id, base: nil, cursor: Cursor(epoch: record.epoch, seq: 0), language: language, viewModels: [])
        do {
            try await surroundings.store.commit(commit)
        } catch .conflict {
            // Another replica was first with the public session; a token's hash is nobody else's.
            guard let session = try await session(id) else { throw SessionFailure.unavailable }
            table.withLock { count(&$0) }
            return session
        } catch {
            throw SessionFailure.unavailable
        }
        guard
            let session = keep(
                record, as: id,
                where: {
                    count(&$0); return true
                })
        else {
            throw SessionFailure.unavailable
        }
        return session
    }

    /// Keeps a session, unless it is here already: there is one instance of each.
    ///
    /// - Returns: nil where it is not wanted.
    private func keep(
        _ record: SessionRecord, as id: SessionID, where isWanted: (inout Table) -> Bool
    ) -> Session? {
        let session = Session(id: id, record: record, surroundings: surroundings)
        return table.withLock { table in
            guard isWanted(&table) else { return nil }
            if let known = table.sessions[id] { return known }
            table.sessions[id] = session
            return session
        }
    }

    private func forget(_ session: Session) {
        table.withLock { table in
            table.endings += 1
            if table.sessions[session.id] === session { table.sessions.removeValue(forKey: session.id) }
        }
    }
}
