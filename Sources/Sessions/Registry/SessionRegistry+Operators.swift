internal import Events

// How operators list sessions that are not theirs, and end them.

extension SessionRegistry {
    /// How many sessions are read at once: some milliseconds of one of the store's readers.
    package static let longestPage = 1000

    /// Sessions in the order of their creation, in memory or not, the public one among them.
    ///
    /// - Parameters:
    ///   - place: where the page before has ended; 0 for the first page.
    ///   - limit: how many at most, up to ``longestPage``.
    /// - Returns: the page, and where the next one begins; nil where there is none.
    /// - Throws: ``SessionFailure/unavailable``.
    package func list(after place: Int64, limit: Int) async throws -> (sessions: [ListedSession], next: Int64?) {
        let stored = try await summaries(after: place, limit: limit + 1)
        let page = stored.prefix(limit)
        let live = environment.sessions.withLock { table in page.map { table[$0.id] } }
        return (
            zip(page, live).map { listed($0, $1.flatMap { $0.isLive ? $0 : nil }) },
            stored.count > limit ? page.last?.place : nil
        )
    }

    private func summaries(after place: Int64, limit: Int) async throws -> [SessionSummary] {
        do { return try await environment.store.sessions(after: place, limit: limit) } catch {
            throw SessionFailure.unavailable(.notRead)
        }
    }

    private func listed(_ stored: SessionSummary, _ session: Session?) -> ListedSession {
        let today = environment.timeOfDay.secondsSince1970
        let timeToLive = limits.timeToLive.components.seconds
        let storedUse = stored.end.map { $0.secondsSince1970 - timeToLive }
        let use = session.map { today - $0.idleTime(at: environment.now).components.seconds } ?? storedUse
        let end = storedUse.map { max($0, use ?? $0) + timeToLive }
        let standing = session?.standing
        return ListedSession(
            id: stored.id, isInMemory: session != nil,
            age: stored.begun.map { max(0, Int(today - $0.secondsSince1970)) },
            idleTime: use.map { max(0, Int(today - $0)) }, timeLeft: end.map { max(0, Int($0 - today)) },
            bytes: stored.bytes, waits: standing?.waits ?? 0, streams: standing?.streams ?? 0)
    }

    /// Where a session stands in the list; nil where there is none of that public id.
    ///
    /// - Throws: ``SessionFailure/unavailable``.
    package func place(ofPublicID publicID: String) async throws -> Int64? {
        guard let digest = Base64URL.decode(publicID) else { return nil }
        return try await find(digest)?.place
    }

    /// Looks through the store, which knows no public ids, a page at a time: some seconds for a million sessions.
    private func find(_ publicDigest: [UInt8]) async throws -> SessionSummary? {
        var place: Int64 = 0
        while true {
            let page = try await summaries(after: place, limit: Self.longestPage)
            if let session = page.first(where: { $0.id.publicDigest == publicDigest }) { return session }
            guard let last = page.last, page.count == Self.longestPage else { return nil }
            place = last.place
        }
    }
}

extension SessionRegistry {
    /// Ends a session because an operator says so; its polls and streams are told.
    ///
    /// In memory it is ended before all that waits for its turn, which is told of the end with nothing done; only what has the
    /// turn goes before: a session whose action hangs would else be ended after all that came behind it. Else nothing of it is made: this build need not be able
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
                    try await end(session, as: \.byOperator, ahead: true)
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
        throw SessionFailure.unavailable(.conflicts)
    }

    /// - Returns: false where the store has it no more.
    private func endStored(_ id: SessionID) async throws -> Bool {
        do {
            guard let record = try await environment.store.load(id) else { return false }
            try await environment.store.delete(id, at: record.head.version)
        } catch StoreFailure.conflict(let version) {
            throw StoreFailure.conflict(version)
        } catch {
            throw SessionFailure(writing: error)
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

/// A session as an operator sees it: how it stands, and nothing of what it holds.
///
/// Times are in whole seconds.
package struct ListedSession: Sendable {
    /// The name under which it is kept, which is to be shown to nobody.
    package let id: SessionID
    /// Whether it is in memory, or in the store alone.
    package let isInMemory: Bool
    /// Since it began; nil where its store did not note it.
    package let age: Int?
    /// Since it was last used, as far as is known here; nil of the public one where it is in the store alone.
    package let idleTime: Int?
    /// Until it ends if nobody uses it; nil for never.
    package let timeLeft: Int?
    /// About how many bytes its models and outputs have in the store.
    package let bytes: Int
    /// Polls and streams that wait for a change.
    package let waits: Int
    /// Event streams that are open.
    package let streams: Int
}
