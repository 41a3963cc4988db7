// What is done now and then, so that no session stays longer than it is wanted.

extension SessionRegistry {
    /// Ends the sessions that nobody has used for their time to live, in memory or not.
    ///
    /// The store decides: another replica may have put the end off. It is told first of those that are in use here. A
    /// batch at a time, so that no commit waits long; and nobody's turn is waited for.
    ///
    /// - Returns: how many.
    @discardableResult
    public func endExpired() async -> Int {
        // Whoever is used from here on may not be in what the store is told.
        let now = environment.timeOfDay
        // One that could not be told of is in use, for all that the store knows not.
        guard await touchUsed() else { return 0 }
        let batch = 256
        var count = 0
        while let ended = try? await environment.store.deleteEnded(by: now, limit: batch) {
            count += ended.count
            let known = environment.sessions.withLock { table in
                table.noteDepartures(ended.count)
                table.endings.expired += ended.count
                return ended.compactMap { table[$0] }
            }
            for session in known {
                session.markEnded()
                forget(session)
            }
            if ended.count < batch { break }
        }
        return count
    }

    /// Lets sessions leave memory that nobody has used or waited on for their time in memory, once the store knows of their use.
    ///
    /// - Returns: how many.
    @discardableResult
    public func evictIdle() async -> Int {
        let now = environment.now
        let idle = environment.sessions.withLock { $0.all }
            .filter { !$0.isLive || $0.idleTime(at: now) >= limits.timeInMemory }
        await touch(idle)
        var count = 0
        for session in idle {
            // One that another replica ended is here for nothing.
            guard session.evict(ifIdleFor: limits.timeInMemory) || !session.isLive else { continue }
            forget(session)
            count += 1
        }
        environment.sessions.withLock { $0.endings.evicted += count }
        return count
    }

    /// Tells the store of sessions that were only read, so that they do not end there.
    ///
    /// - Returns: whether it knows of all of them.
    @discardableResult
    public func touchUsed() async -> Bool { await touch(environment.sessions.withLock { $0.all }) }

    @discardableResult
    private func touch(_ sessions: [Session]) async -> Bool {
        // Put back while it is told, it may know no more.
        let incarnation = environment.store.incarnation
        var ends: [SessionID: TimeOfDay] = [:]
        for session in sessions { ends[session.id] = session.endToStore() }
        guard !ends.isEmpty else { return true }
        // Where the store is away there is a next time.
        guard (try? await environment.store.touch(ends)) != nil else { return false }
        for session in sessions { ends[session.id].map { session.noteStored($0, in: incarnation) } }
        return true
    }

    /// Lets the store forget the outcomes whose time is over, a batch at a time.
    ///
    /// - Returns: how many.
    @discardableResult
    public func forgetOutcomes() async -> Int {
        // About 1 ms of the SQLite store's writer.
        let batch = 128
        var count = 0
        while let forgotten = try? await environment.store.deleteEndedOutcomes(
            by: environment.timeOfDay, limit: batch)
        {
            count += forgotten
            if forgotten < batch { break }
        }
        return count
    }

    /// Ends expired sessions, forgets outcomes and evicts idle sessions, for as long as the task lives: a hundred times in a
    /// time to live, four times in a time in memory, but not more often than once a second nor less often than once a minute.
    public func keepTidy() async {
        let wanted = min(limits.timeToLive / 100, limits.timeInMemory / 4)
        let pause = min(max(wanted, .seconds(1)), .seconds(60))
        while (try? await environment.timer.sleep(for: pause)) != nil {
            await endExpired()
            await forgetOutcomes()
            await evictIdle()
        }
    }
}
