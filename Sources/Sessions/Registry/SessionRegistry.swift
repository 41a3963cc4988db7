package import Events
import Locking
import ViewModels

/// Every session of a server.
///
/// Safe from any thread. Who still holds a session when its registry goes can read it and act on it, but its view models
/// change by themselves no more.
package final class SessionRegistry: Sendable {
    /// The bounds within which the sessions live.
    package let limits: SessionLimits
    /// The view models each session has.
    package let catalogue: Catalogue
    let environment: SessionEnvironment
    /// The bound on the process's memory, where there is one.
    let memory: MemoryBound?
    /// Looks for the public session, where it is not in memory.
    private let search = Lock<Task<Session, any Error>?>(nil)

    /// Keeps the sessions of a store.
    package convenience init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits = SessionLimits(),
        timeline: any Timeline = SystemTimeline()
    ) {
        self.init(
            catalogue: catalogue, store: store, limits: limits, timeline: timeline,
            threads: ActionThreads(atMost: limits.actionThreads))
    }

    /// The same with other threads for actions that may block, and another word on what the process has of memory.
    package init(
        catalogue: Catalogue, store: any SessionStore, limits: SessionLimits, timeline: any Timeline,
        threads: any ThreadSupply, memory: ProcessMemory = .system
    ) {
        self.limits = limits
        self.catalogue = catalogue
        self.memory = limits.memoryBytes.map { MemoryBound(limit: $0, memory: memory) }
        environment = SessionEnvironment(
            catalogue: catalogue, store: store, limits: limits, timeline: timeline, threads: threads)
    }

    deinit {
        // Released after unlocking.
        _ = environment.sessions.withLock { sessions in
            defer { sessions = SessionTable() }
            return sessions
        }
    }

    /// Has a log told of what happens to sessions; the latest that was given.
    package func tellEvents(at pace: EventPace) { environment.eventPace.withLock { $0 = pace } }

    /// How many sessions are in memory, the public one among them.
    package var count: Int { environment.sessions.withLock { $0.count } }

    /// Begins a session.
    ///
    /// - Returns: the token by which it can be found again, and the session.
    /// - Throws: ``RegistryFailure/full``; ``SessionFailure/outOfMemory``; ``SessionFailure/unavailable``.
    package func begin(language: Language) async throws -> (token: SessionToken, session: Session) {
        try checkMemory()
        let stored = try await storedCount()
        let isAllowed = environment.sessions.withLock { table in
            guard stored + table.reserved < limits.sessions else { return false }
            table.reserved += 1
            return true
        }
        guard isAllowed else { throw RegistryFailure.full }
        defer { environment.sessions.withLock { $0.reserved -= 1 } }
        let token = SessionToken.random()
        // A token's hash is nobody else's.
        guard let session = try await create(token.sessionID, language: language) else {
            throw SessionFailure.unavailable(.conflicts)
        }
        return (token, session)
    }

    /// How many sessions there are, in memory or not, the public one among them.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    package func storedSessions() async throws -> Int {
        do { return try await environment.store.count() } catch { throw SessionFailure.unavailable(.notRead) }
    }

    /// How many sessions there are beside the public one, in memory or not.
    private func storedCount() async throws -> Int {
        let isPublicThere = environment.sessions.withLock { $0.isPublicThere }
        return try await storedSessions() - (isPublicThere ? 1 : 0)
    }

    /// The session a token stands for, or nil where it is unknown or has ended.
    ///
    /// - Returns: at once where it is in memory, as this build derives it; later it throws ``SessionFailure``, such as
    ///   ``SessionFailure/unavailable`` where it cannot be loaded.
    package func session(for token: SessionToken) -> Eventual<Session?> { session(token.sessionID) }

    /// The session that is shared by all who bring no token; begun where there is none.
    ///
    /// - Returns: at once where it is in memory, as this build derives it; later it throws ``SessionFailure``, such as
    ///   ``SessionFailure/unavailable`` where it cannot be loaded.
    package func publicSession() -> Eventual<Session> {
        if case .now(let session?) = session(.public) { return .now(session) }
        return .later { [self] in
            let (task, isOurs) = searchForPublicSession()
            do { return try await task.value } catch  where !isOurs {
                // The search that we joined may have begun before the store was back. Once more: often
                // would make every caller wait for all the others.
                return try await searchForPublicSession().task.value
            }
        }
    }

    /// However many ask at once, it is looked for, and begun, once.
    private func searchForPublicSession() -> (task: Task<Session, any Error>, isOurs: Bool) {
        search.withLock { search in
            if let search { return (search, false) }
            let task = Task { [self] in
                defer { self.search.withLock { $0 = nil } }
                // Another replica may begin it, or end it, between two looks.
                for _ in 0...limits.replays {
                    if let session = try await session(.public).value { return session }
                    if let session = try await create(.public, language: environment.catalogue.languages.standard) {
                        return session
                    }
                }
                throw SessionFailure.unavailable(.conflicts)
            }
            search = task
            return (task, true)
        }
    }

    /// Ends a session; its polls and streams are told.
    ///
    /// - Throws: ``SessionFailure/unavailable``; ``SessionFailure/evicted`` where it is to be found anew.
    package func end(_ session: Session) async throws { try await end(session, as: \.asked) }

    func end(
        _ session: Session, as reason: WritableKeyPath<SessionTable.Endings, Int>, ahead isAhead: Bool = false
    ) async throws {
        try await session.end(ahead: isAhead)
        environment.sessions.withLock { table in
            if session.id == .public { table.isPublicThere = false }
            table.endings[keyPath: reason] += 1
        }
        forget(session)
    }

    /// Answers every waiting poll and stream, now and from now on, because the server is about to stop.
    package func drain() {
        environment.isDraining = true
        for session in environment.sessions.withLock({ $0.all }) { session.drain() }
    }

    /// Stores what is still to be stored and closes the store; nothing is asked of the sessions afterwards.
    package func close() async {
        await touchUsed()
        await environment.store.close()
    }

    /// Whether the store can take commits.
    package func isReady() async -> Bool { await environment.store.isReady() }

    /// A session that is in memory and can still be asked, noted as used; and whether it can be shown without waiting.
    private func cached(_ id: SessionID) -> (session: Session, isDerived: Bool)? {
        guard let session = environment.sessions.withLock({ $0[id] }) else { return nil }
        let (isLive, isDerived) = session.use()
        guard isLive else {
            forget(session)
            return nil
        }
        return (session, isDerived)
    }

    private func session(_ id: SessionID) -> Eventual<Session?> {
        guard let (session, isDerived) = cached(id) else { return .later { [self] in try await load(id) } }
        guard !isDerived else { return .now(session) }
        return .later {
            try await session.derive()
            return session
        }
    }

    private func load(_ id: SessionID) async throws -> Session? {
        try checkMemory()
        while true {
            let departures = environment.sessions.withLock { $0.departures }
            // Not when it is read: somebody else may have put its end off by then.
            let today = environment.timeOfDay
            let record: SessionRecord?
            do { record = try await environment.store.load(id) } catch { throw SessionFailure(reading: error) }
            guard let record, record.end.map({ $0 > today }) ?? true else { return nil }
            // What was read may have ended since, or moved on and left memory; it must not come back to life.
            guard let session = keep(record, as: id, where: { $0.departures == departures }) else { continue }
            try await session.derive()
            return session
        }
    }

    /// - Returns: nil where another replica was first.
    private func create(_ id: SessionID, language: Language) async throws -> Session? {
        let commit = Commit(
            id: id, base: nil, head: .beginning(in: environment.store.incarnation), language: language,
            end: environment.end(of: id), initialDigests: environment.untouched(in: language).initialDigests)
        do {
            try await environment.store.commit(commit)
        } catch .conflict {
            return nil
        } catch {
            throw SessionFailure(writing: error)
        }
        return keep(SessionRecord(creating: commit), as: id, where: { _ in true })
    }

    /// Keeps a session, unless it is here already: there is one instance of each.
    ///
    /// - Returns: nil where it is not wanted.
    private func keep(
        _ record: SessionRecord, as id: SessionID, where isWanted: (SessionTable) -> Bool
    ) -> Session? {
        let session = Session(id: id, record: record, environment: environment)
        // After unlocking.
        defer { noteArrival() }
        return environment.sessions.withLock { table in
            guard isWanted(table) else { return nil }
            if id == .public { table.isPublicThere = true }
            if let known = table[id] { return known }
            table.insert(session)
            return session
        }
    }

    /// Notes that the store has sessions no more, whatever they were at; who waits for a change of them is told.
    func noteEnded(_ ids: [SessionID], as reason: WritableKeyPath<SessionTable.Endings, Int>) {
        let known = environment.sessions.withLock { table in
            table.noteDepartures(ids.count)
            table.endings[keyPath: reason] += ids.count
            return ids.compactMap { table[$0] }
        }
        for session in known {
            session.markEnded()
            forget(session)
        }
    }

    func forget(_ session: Session) { environment.sessions.withLock { $0.remove(session) } }
}

/// The sessions in memory, and what is known of the others.
struct SessionTable {
    private var owned: [SessionID: Session] = [:]
    // By itself, since everybody who brings no token means it: to hash its name is half of what finding it costs.
    private var shared: Session?
    /// Sessions that are being created and count already.
    var reserved = 0
    /// Whether the store has a public session, as far as we know.
    var isPublicThere = false
    /// How many sessions have left memory; tells whether one that was read meanwhile may have ended or moved on.
    private(set) var departures = 0
    /// How many have ended here or left memory, for who watches.
    var endings = Endings()

    struct Endings: Sendable {
        /// Because somebody asked for it.
        var asked = 0
        /// Because an operator said so.
        var byOperator = 0
        /// Because an operator said how long the unused were to be kept.
        var unused = 0
        /// Because their time was over.
        var expired = 0
        /// Not at all: they left memory.
        var evicted = 0
    }

    /// How many there are in memory, the public one among them.
    var count: Int { owned.count + (shared == nil ? 0 : 1) }

    /// Every session in memory, the public one among them.
    var all: [Session] { owned.values + [shared].compactMap(\.self) }

    subscript(_ id: SessionID) -> Session? { id == .public ? shared : owned[id] }

    /// Keeps a session that is not there yet.
    mutating func insert(_ session: Session) {
        if session.id == .public { shared = session } else { owned[session.id] = session }
    }

    /// Notes that sessions have ended that may be on their way into memory.
    mutating func noteDepartures(_ count: Int) { departures += count }

    /// Forgets a session, unless another is there under its name.
    mutating func remove(_ session: Session) {
        departures += 1
        guard self[session.id] === session else { return }
        if session.id == .public { shared = nil } else { owned.removeValue(forKey: session.id) }
    }
}

/// Why a session could not be begun, changed as a whole, or ended.
package enum RegistryFailure: Error, Equatable, Sendable {
    /// There are as many sessions as there may be.
    case full
    /// It is the public session, which is not ended and keeps its language.
    case isPublic
}
