import Events

// How operators end sessions that are not theirs.

extension SessionRegistry {
    /// Ends a session because an operator says so; its polls and streams are told.
    ///
    /// In memory it is ended as by its user, when its turn has come. Else nothing of it is made: this build need not be able
    /// to read it.
    ///
    /// - Returns: false where there is none of that public id.
    /// - Throws: ``SessionFailure/unavailable``; ``RegistryFailure/isPublic``.
    package func end(publicID: String) async throws -> Bool {
        guard let digest = Base64URL.decode(publicID) else { return false }
        var found = environment.sessions.withLock { $0.all }.first { $0.id.publicDigest == digest }?.id
        if found == nil { found = try await find(digest)?.id }
        guard let id = found else { return false }
        guard id != .public else { throw RegistryFailure.isPublic }
        // It may come into memory, leave it, or move on, between two looks.
        for _ in 0...limits.replays {
            do {
                if let session = environment.sessions.withLock({ $0[id] }), session.isLive {
                    try await end(session, as: \.byOperator)
                } else if try await !endStored(id) {
                    return false
                }
                environment.tell(
                    Event(
                        .sessionsEnded,
                        ["reason": "operator", "session": .text("\(SessionTag(of: id))"), "sessions": 1]))
                return true
            } catch SessionFailure.evicted {
            } catch StoreFailure.conflict {
            }
        }
        throw SessionFailure.unavailable
    }

    /// - Returns: false where the store has it no more.
    private func endStored(_ id: SessionID) async throws -> Bool {
        do {
            guard let record = try await environment.store.load(id) else { return false }
            try await environment.store.delete(id, at: record.head.version)
        } catch StoreFailure.conflict(let version) {
            throw StoreFailure.conflict(version)
        } catch {
            throw SessionFailure.unavailable
        }
        noteEnded([id], as: \.byOperator)
        return true
    }

    /// Ends the sessions that nobody has used or waited on for a time, in memory or not; never the public one.
    ///
    /// Whoever may have been used since is spared. A session that is in the store alone has been used when its end says,
    /// for as long as this process knows; what was only read before, or by another process, the store may not know yet
    /// (``Session/endToStore(before:slack:)``). So where the process is younger than the time, or others use the store, such
    /// sessions are ended a twentieth of their time to live later.
    ///
    /// - Parameter time: in whole seconds, at least one.
    /// - Returns: how many, and whether it was all of them: false where the store did not answer.
    package func endUnused(for time: Duration) async -> (count: Int, isDone: Bool) {
        let isKnown = !environment.store.isShared && environment.now - environment.beginning >= time
        let margin = isKnown ? Duration.zero : limits.slack
        let ended = await endAll(
            by: environment.timeOfDay.advanced(by: limits.timeToLive - time - margin), as: \.unused)
        environment.tell(
            Event(
                .sessionsEnded,
                [
                    "reason": "unused", "seconds": .number(Int(time.components.seconds)),
                    "sessions": .number(ended.count),
                ]))
        return ended
    }
}
