import Sessions
import StoreParts
import ViewModels

/// Reads sessions over a connection, on the thread of it.
final class Reader {
    let connection: Connection
    private let database: Database

    init(_ connection: Connection, _ database: Database) { (self.connection, self.database) = (connection, database) }

    /// Answers questions, those of a kind by one statement.
    ///
    /// - Returns: why something could not be read; all have been told.
    func answer(_ requests: [Readers.Request]) -> PostgresFailure? {
        var failure: PostgresFailure?
        var (loads, outcomes): ([Load], [Look]) = ([], [])
        for request in requests {
            switch request {
            case .load(let id, let known, let done): loads.append(Load(id: id, known: known, done: done))
            case .outcome(let key, let id, let done): outcomes.append(Look(key: key, id: id, done: done))
            case .other(let body, let failed):
                do throws(PostgresFailure) {
                    try body(self)
                } catch {
                    failure = error
                    failed(error.ofReading)
                }
            }
        }
        // Each is asked for before the first failure is picked: `??` would leave the questions after it untold.
        let failures = [answer(loads), answer(outcomes), failure]
        return failures.lazy.compactMap { $0 }.first
    }

    /// Runs one statement.
    func run(
        _ statement: (Statements) -> PreparedStatement, _ parameters: [Parameter]
    ) throws(PostgresFailure) -> Answer {
        try connection.run(
            statement(database.statements), parameters, within: database.settings.statementTimeout * 1.25)
    }

    /// Moves some ends, where the time to live was changed and not all have been moved: by one change after the other, and by one
    /// replica at a time.
    ///
    /// - Returns: whether some are left for this replica to move now; false also where somebody holds a session that is next.
    func moveSomeEnds() throws(PostgresFailure) -> Bool {
        guard database.mayHaveEndsToMove.load(ordering: .relaxed) else { return false }
        do throws(PostgresFailure) {
            return try moveNextEnds()
        } catch {
            guard error.isLocked else { throw error }
            return false
        }
    }

    private func moveNextEnds() throws(PostgresFailure) -> Bool {
        let isNoted = try noteTimeToLive()
        let answer = try run(
            \.moveEnds, [.integer(database.now.secondsSince1970), .integer(Int64(database.settings.moveLimit))])
        if answer.count > 0, answer.bool(0, 0) { return true }
        // Where others move them, this one looks again when sessions are next ended: they may not come to the end.
        let isOver = try !run(\.endsToMove, []).bool(0, 0)
        if isOver, isNoted { database.mayHaveEndsToMove.store(false, ordering: .relaxed) }
        return isOver && !isNoted
    }

    /// Sees to it that the tables know this process's time to live.
    ///
    /// - Returns: false where ends are being moved by a change before it.
    private func noteTimeToLive() throws(PostgresFailure) -> Bool {
        guard !database.isTimeToLiveNoted.load(ordering: .relaxed), let time = database.settings.timeToLive else {
            return true
        }
        let isNoted = try run(\.noteTimeToLive, [.integer(time.components.seconds)]).bool(0, 0)
        database.isTimeToLiveNoted.store(isNoted, ordering: .relaxed)
        return isNoted
    }

    private struct Load {
        let id: SessionID
        let known: CommitVersion?
        let done: (Result<LoadedSession, StoreFailure>) -> Void
    }

    private func answer(_ loads: [Load]) -> PostgresFailure? {
        guard !loads.isEmpty else { return nil }
        do throws(PostgresFailure) {
            let answer = try run(
                \.load,
                [
                    .bytes(loads.map(\.id.bytea)), .bytes(loads.map { $0.known?.encoded }),
                    .integer(database.now.secondsSince1970),
                ])
            var found = [Result<LoadedSession, StoreFailure>](repeating: .success(.gone), count: loads.count)
            for row in 0..<answer.count {
                let place = Int(answer.integer(row, 0)) - 1
                guard case .success(let known) = found[place] else { continue }
                do throws(PostgresFailure) {
                    found[place] = .success(try Self.session(row, of: answer, after: known))
                } catch {
                    found[place] = .failure(error.ofReading)
                }
            }
            for (load, result) in zip(loads, found) { load.done(result) }
            return nil
        } catch {
            for load in loads { load.done(.failure(error.ofReading)) }
            return error
        }
    }

    /// What a row says of a session, after what the rows before it said.
    private static func session(
        _ row: Int, of answer: Answer, after known: LoadedSession
    ) throws(PostgresFailure) -> LoadedSession {
        if answer.bool(row, 1) { return .asKnown }
        var record: SessionRecord
        if case .moved(let begun) = known {
            record = begun
        } else {
            record = SessionRecord(
                head: try answer.head(row, from: 5),
                // A language that this build does not speak.
                language: Language(answer.text(row, 2)) ?? .english, end: answer.time(row, 3),
                initialDigests: InitialDigests(column: answer.bytes(row, 4)), keys: Int(answer.integer(row, 12)),
                keyBytes: Int(answer.integer(row, 13)))
        }
        if !answer.isNull(row, 8) {
            let name = answer.text(row, 8)
            guard let outputs = OutputRecord.decode(answer.bytes(row, 11)) else {
                throw .unreadable("what is stored of the outputs of \(name)")
            }
            record.viewModels[name] = ViewModelRecord(
                name: name, version: Int(answer.integer(row, 9)), model: answer.bytes(row, 10), outputs: outputs)
        }
        return .moved(record)
    }

    /// What a row says of an outcome, behind its first column.
    static func outcome(_ row: Int, of answer: Answer, under key: KeyDigest) -> RememberedOutcome {
        RememberedOutcome(
            key: key, fingerprint: answer.bytes(row, 1), status: Int(answer.integer(row, 2)),
            entityTag: answer.text(row, 3), contentType: answer.text(row, 4), body: answer.bytes(row, 5),
            end: TimeOfDay(secondsSince1970: answer.integer(row, 6)))
    }

    private struct Look {
        let key: KeyDigest
        let id: SessionID
        let done: (Result<RememberedOutcome?, StoreFailure>) -> Void
    }

    private func answer(_ looks: [Look]) -> PostgresFailure? {
        guard !looks.isEmpty else { return nil }
        do throws(PostgresFailure) {
            let answer = try run(
                \.outcomes,
                [
                    .bytes(looks.map(\.id.bytea)), .bytes(looks.map(\.key.bytes)),
                    .integer(database.now.secondsSince1970),
                ])
            var found = [RememberedOutcome?](repeating: nil, count: looks.count)
            for row in 0..<answer.count {
                let place = Int(answer.integer(row, 0)) - 1
                found[place] = Self.outcome(row, of: answer, under: looks[place].key)
            }
            for (look, outcome) in zip(looks, found) { look.done(.success(outcome)) }
            return nil
        } catch {
            for look in looks { look.done(.failure(error.ofReading)) }
            return error
        }
    }
}
