// What is done now and then, so that no session stays longer than it is wanted.

extension SessionRegistry {
    /// Ends the sessions that nobody has used for their time to live, in memory or not.
    ///
    /// - Returns: how many.
    @discardableResult
    package func endExpired() async -> Int { await endAll(by: environment.timeOfDay, as: \.expired).count }

    /// Ends the sessions that end by a time if nobody uses them.
    ///
    /// The store decides: another replica may have put the end off. It is told before each batch of those that are in use
    /// here. A batch at a time, so that no commit waits long; and nobody's turn is waited for.
    ///
    /// - Returns: how many, and whether it was all of them.
    func endAll(
        by time: TimeOfDay, as reason: WritableKeyPath<SessionTable.Endings, Int>
    ) async -> (count: Int, isDone: Bool) {
        let batch = 256
        var count = 0
        while true {
            // One that could not be told of is in use, for all that the store knows not.
            guard await touch(environment.sessions.withLock { $0.all }, { $0.endToStore(before: time) }),
                let ended = try? await environment.store.deleteEnded(by: time, limit: batch)
            else { return (count, false) }
            count += ended.count
            noteEnded(ended, as: reason)
            if ended.count < batch { return (count, true) }
        }
    }

    /// Lets sessions leave memory that nobody has used or waited on for their time in memory, once the store knows of their use.
    ///
    /// - Returns: how many.
    @discardableResult
    package func evictIdle() async -> Int {
        let now = environment.now
        let idle = environment.sessions.withLock { $0.all }
            .filter { !$0.isLive || $0.idleTime(at: now) >= limits.timeInMemory }
        return await evict(idle, ifIdleFor: limits.timeInMemory)
    }

    /// How many sessions leave at a time: 4 ms of a pool's thread, some 0.1 ms of it under the lock that finds sessions.
    static let batch = 256

    /// Lets those of the sessions leave memory that nobody has used for so long, a batch at a time.
    ///
    /// - Returns: how many.
    func evict(_ sessions: [Session], ifIdleFor time: Duration) async -> Int {
        var count = 0
        for start in stride(from: 0, to: sessions.count, by: Self.batch) {
            let some = sessions[start..<min(start + Self.batch, sessions.count)]
            await touch(some) { $0.endToStoreBeforeLeaving() }
            // One that another replica ended is here for nothing.
            let gone = some.filter { $0.evict(ifIdleFor: time) || !$0.isLive }
            environment.sessions.withLock { table in
                for session in gone { table.remove(session) }
                table.endings.evicted += gone.count
            }
            count += gone.count
            // Requests go on, on the threads that this works on.
            await Task.yield()
        }
        return count
    }

    /// Tells the store of sessions that were only read, so that they do not end there.
    ///
    /// - Returns: whether it knows of all of them.
    @discardableResult
    package func touchUsed() async -> Bool { await touch(environment.sessions.withLock { $0.all }) { $0.endToStore() } }

    @discardableResult
    private func touch(_ sessions: some Sequence<Session>, _ end: (Session) -> TimeOfDay?) async -> Bool {
        // Put back while it is told, it may know no more.
        let incarnation = environment.store.incarnation
        var ends: [SessionID: TimeOfDay] = [:]
        for session in sessions { ends[session.id] = end(session) }
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
    package func forgetOutcomes() async -> Int {
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

    /// Ends expired sessions, forgets outcomes, evicts idle sessions and sees to the bound on memory, for as long as the task lives.
    ///
    /// A hundred times in a time to live, four times in a time in memory, but not more often than once a second nor less often
    /// than once a minute; memory each second.
    package func keepTidy() async {
        async let memoryIsBounded: Void = keepMemoryBounded()
        let wanted = min(limits.timeToLive / 100, limits.timeInMemory / 4)
        let pause = min(max(wanted, .seconds(1)), .seconds(60))
        while (try? await environment.timer.sleep(for: pause)) != nil {
            await endExpired()
            await forgetOutcomes()
            await evictIdle()
        }
        await memoryIsBounded
    }
}
