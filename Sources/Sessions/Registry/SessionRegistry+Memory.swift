import Events

// How the process is kept below its bound of memory.

extension SessionRegistry {
    /// - Throws: ``SessionFailure/outOfMemory`` where no session may come to memory.
    func checkMemory() throws {
        if memory?.isReached == true { throw SessionFailure.outOfMemory }
    }

    /// Notes that a session came to memory; others leave it where that is needed.
    func noteArrival() {
        guard let memory, memory.noteArrival(), memory.look() != .ample else { return }
        // Not here: this may be an event loop, and somebody waits for the session.
        Task { await relieveMemory(forArrival: true) }
    }

    /// Lets sessions at rest leave memory, the longest unused first, where the process is near its bound: a quarter of them at
    /// a time, until it is near no more, or hardly any are left.
    ///
    /// - Parameter isForArrival: else for housekeeping.
    func relieveMemory(forArrival isForArrival: Bool = false) async {
        guard let memory, memory.look() != .ample, memory.beginRound(forArrival: isForArrival) else { return }
        var (count, standing) = (0, memory.look())
        repeat {
            count = await evictLongestUnused(standing)
            // Once for all of them: it takes an allocator's locks for as long as it gives back.
            standing = memory.giveBack()
        } while standing != .ample && count >= Self.batch
        memory.endRound(standing)
        guard standing == .reached else { return }
        environment.tell(
            Event(.boundReached, ["bound": "max-memory", "limit": .number(memory.limit)]), alike: "max-memory")
    }

    private func evictLongestUnused(_ standing: MemoryBound.Standing) async -> Int {
        let now = environment.now
        // Whoever has just found a session has to have the time to ask it.
        var atRest = environment.sessions.withLock { $0.all }
            .map { (session: $0, idleTime: $0.idleTime(at: now)) }
            .filter { $0.idleTime >= Self.leastRest }
            .sorted { $0.idleTime > $1.idleTime }
        // So few have hardly any of the memory: those that are asked now and then keep what their view models have under way.
        if standing == .near, atRest.count < 4 * Self.batch { atRest = atRest.filter { $0.idleTime >= .seconds(2) } }
        return await evict(
            atRest.prefix(max(Self.batch, atRest.count / 4)).map(\.session), ifIdleFor: Self.leastRest)
    }

    private static let leastRest = Duration.milliseconds(100)

    /// Keeps the process below its bound, for as long as the task lives: sessions are not all that grows.
    func keepMemoryBounded() async {
        guard memory != nil else { return }
        while (try? await environment.timer.sleep(for: .seconds(1))) != nil { await relieveMemory() }
    }
}
