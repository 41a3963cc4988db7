import Sessions
import StoreParts

/// The readers of a store: a few threads, each with its own connection, off the cooperative pool.
///
/// A reader never waits for the writer, nor the writer for a reader (https://sqlite.org/wal.html, section 2.2).
final class Readers: Sendable {
    /// What is to be read, and whom to tell.
    enum Request: Sendable {
        case load(SessionID, @Sendable (Result<SessionRecord?, StoreFailure>) -> Void)
        case outcome(KeyDigest, SessionID, @Sendable (Result<RememberedOutcome?, StoreFailure>) -> Void)
        case outcomes(SessionID, @Sendable (Result<[RememberedOutcome], StoreFailure>) -> Void)
        case numbers([SessionID], @Sendable (Result<[Int64], StoreFailure>) -> Void)
        case sessions(after: Int64, limit: Int, @Sendable (Result<[SessionSummary], StoreFailure>) -> Void)
    }

    private let line = Line<Request>()
    private let latches: [Latch]

    /// Opens the connections; the file has to be there.
    init(_ path: String, _ settings: Settings, _ watchdog: StoreWatchdog) throws(SQLiteStoreError) {
        latches = (0..<settings.readers).map { _ in Latch() }
        for latch in latches {
            do throws(SQLiteStoreError) {
                let health = watchdog.health(of: "read")
                try Worker<SQLiteStoreError>.start(named: "sqlite-reader") { [line] beginning in
                    Self.run(path, settings, health, line, beginning)
                    latch.open()
                }
            } catch {
                line.close()
                throw error
            }
        }
    }

    deinit { line.close() }

    /// Reads a session.
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? {
        try await read { .load(id, $0) }
    }

    /// Looks an outcome up.
    func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? {
        try await read { .outcome(key, id, $0) }
    }

    /// All outcomes of a session.
    func outcomes(of id: SessionID) async throws(StoreFailure) -> [RememberedOutcome] {
        try await read { .outcomes(id, $0) }
    }

    /// Where sessions lie in the file, in the order in which they were created; those that are not there come last.
    func numbers(of ids: [SessionID]) async throws(StoreFailure) -> [Int64] {
        try await read { .numbers(ids, $0) }
    }

    /// Sessions in the order in which they were created.
    func sessions(after number: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        try await read { .sessions(after: number, limit: limit, $0) }
    }

    private func read<Answer: Sendable>(
        _ request: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Request
    ) async throws(StoreFailure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            if !line.append(request { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(.notSent))
            }
        }
        return try result.get()
    }

    /// Finishes what was asked, and closes the connections.
    func close() async {
        line.close()
        for latch in latches { await latch.wait() }
    }

    private static func run(
        _ path: String, _ settings: Settings, _ health: StoreHealth, _ line: Line<Request>,
        _ beginning: Worker<SQLiteStoreError>.Beginning
    ) {
        let reader: SessionReader
        do throws(SQLiteFailure) {
            let connection = try Connection(path: path, .read, patience: settings.patience)
            reader = try SessionReader(connection, settings)
        } catch {
            return beginning.report(.failure(SQLiteStoreError(path, error)))
        }
        beginning.report(.success(()))
        while let requests = line.take(upTo: 1) {
            for request in requests {
                health.begin()
                let failure: SQLiteFailure?
                switch request {
                case .load(let id, let done):
                    failure = answer(done) { () throws(SQLiteFailure) in try reader.load(id) }
                case .outcome(let key, let id, let done):
                    failure = answer(done) { () throws(SQLiteFailure) in try reader.outcome(of: key, in: id) }
                case .outcomes(let id, let done):
                    failure = answer(done) { () throws(SQLiteFailure) in try reader.outcomes(of: id) }
                case .numbers(let ids, let done):
                    failure = answer(done) { () throws(SQLiteFailure) in try reader.numbers(of: ids) }
                case .sessions(let number, let limit, let done):
                    failure = answer(done) { () throws(SQLiteFailure) in
                        try reader.sessions(after: number, limit: limit)
                    }
                }
                if let failure { health.noteFailure(failure.message) } else { health.noteSuccess() }
            }
        }
    }

    /// - Returns: why it could not be read.
    private static func answer<Answer>(
        _ done: (Result<Answer, StoreFailure>) -> Void, _ read: () throws(SQLiteFailure) -> Answer
    ) -> SQLiteFailure? {
        do throws(SQLiteFailure) {
            done(.success(try read()))
            return nil
        } catch {
            done(.failure(error.storeFailure))
            return error
        }
    }
}
