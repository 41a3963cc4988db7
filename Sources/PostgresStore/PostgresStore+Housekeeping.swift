public import Sessions
import StoreParts

// What is done now and then, over a connection of its own: none of it waits for a disk, and nobody's commit or read waits for it.

extension PostgresStore {
    /// Moves ends where the time to live was changed, some at a time, so that no commit waits long.
    func moveEnds() { Self.moveEnds(housekeeper) }

    private static func moveEnds(_ housekeeper: Readers) {
        housekeeper.submit(
            .other { (reader) throws(PostgresFailure) in
                if try reader.moveSomeEnds() { moveEnds(housekeeper) }
            } failed: { _ in
                // Done before the next time that sessions are ended.
            })
    }

    /// Puts off the end of sessions; without a wait for a disk, so a crash of the server may undo it.
    public func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {
        let all = Array(ends)
        for start in stride(from: 0, to: all.count, by: database.settings.groupLimit) {
            let batch = all[start...].prefix(database.settings.groupLimit)
            try await housekeeper.run { (reader) throws(PostgresFailure) in
                _ = try reader.run(
                    \.touch, [.bytes(batch.map(\.key.bytea)), .integers(batch.map(\.value.secondsSince1970))])
            }
        }
    }

    /// Forgets sessions whose end has come, the earliest first; those that somebody writes at the moment are passed over.
    ///
    /// - Returns: which were forgotten; less than the limit when none is left.
    public func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] {
        while try await housekeeper.run({ (reader) throws(PostgresFailure) in try reader.moveSomeEnds() }) {}
        // One that is to end later under another time to live must not be found before that is noted.
        guard database.isTimeToLiveNoted.load(ordering: .relaxed) else { return [] }
        let ended = try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.deleteEnded, [.integer(now.secondsSince1970), .integer(Int64(limit))])
            return (0..<answer.count).map { answer.sessionID($0, 0) }
        }
        for id in ended { hints.tell(id, nil) }
        database.sessionsBegun.subtract(ended.count, ordering: .relaxed)
        return ended
    }

    /// Forgets outcomes whose end has come, the earliest first.
    ///
    /// - Returns: how many were forgotten; less than the limit when none is left.
    public func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(
                \.deleteEndedOutcomes, [.integer(now.secondsSince1970), .integer(Int64(limit))])
            return Int(answer.integer(0, 0))
        }
    }

    /// Sessions in the order in which they were begun; of those that begin at the same moment on two replicas, one may be
    /// seen by the next look only.
    public func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.list, [.integer(place), .integer(Int64(limit))])
            return (0..<answer.count).map { row in
                SessionSummary(
                    id: answer.sessionID(row, 1), place: answer.integer(row, 0), begun: answer.time(row, 2),
                    end: answer.time(row, 3), bytes: Int(answer.integer(row, 4)))
            }
        }
    }

    /// How many sessions there are; of other replicas' beginnings and ends it may hear later.
    public func count() async throws(StoreFailure) -> Int { try await sessionCount.now() }

    /// All outcomes of a session that are to be remembered yet.
    package func outcomes(of id: SessionID) async throws(StoreFailure) -> [RememberedOutcome] {
        let now = database.now
        return try await housekeeper.run { (reader) throws(PostgresFailure) in
            let answer = try reader.run(\.allOutcomes, [.bytes(id.bytea), .integer(now.secondsSince1970)])
            var outcomes: [RememberedOutcome] = []
            for row in 0..<answer.count {
                guard let key = KeyDigest(bytes: answer.bytes(row, 0)) else {
                    throw PostgresFailure.unreadable("a key")
                }
                outcomes.append(Reader.outcome(row, of: answer, under: key))
            }
            return outcomes
        }
    }

    /// Notes in the one row of `store` whether the tables are being filled (``Schema/settle(_:for:)``).
    package func noteFilling(from source: String?) async throws(StoreFailure) {
        try await housekeeper.run { (reader) throws(PostgresFailure) in
            _ = try reader.run(\.noteFilling, [.bytes(source.map { Array($0.utf8) })])
        }
        // A commit by the writer is on the disk only when all that came before it is.
        if await !isAlone() { throw .unknown }
    }
}
