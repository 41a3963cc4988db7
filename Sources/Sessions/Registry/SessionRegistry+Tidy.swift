// What is done now and then, so that no session stays longer than it is wanted.

extension SessionRegistry {
    /// Ends the sessions that nobody has used for their time to live.
    ///
    /// - Returns: how many.
    @discardableResult
    public func endExpired() async -> Int {
        let now = surroundings.timer.now
        let expired = surroundings.sessions.withLock { $0.all }
            .filter { $0.id != .public && $0.idleTime(at: now) >= limits.timeToLive }
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
        let idle = surroundings.sessions.withLock { $0.all }
            .filter { !$0.isLive || $0.idleTime(at: now) >= limits.timeInMemory }
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
        let sessions = surroundings.sessions.withLock { $0.all }
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
}
