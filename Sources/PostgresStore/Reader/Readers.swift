import Sessions
import StoreParts

/// The readers of a store: a few threads, each with its own connection.
///
/// While a question is on its way, all others wait, and are then one statement themselves: a round trip serves many.
final class Readers: Sendable {
    /// What is to be read, and whom to tell.
    enum Request: Sendable {
        case load(SessionID, unless: CommitVersion?, @Sendable (Result<LoadedSession, StoreFailure>) -> Void)
        case outcome(KeyDigest, SessionID, @Sendable (Result<RememberedOutcome?, StoreFailure>) -> Void)
        /// Any other, by itself.
        case other(@Sendable (Reader) throws(PostgresFailure) -> Void, failed: @Sendable (StoreFailure) -> Void)

        func fail(_ failure: StoreFailure) {
            switch self {
            case .load(_, _, let done): done(.failure(failure))
            case .outcome(_, _, let done): done(.failure(failure))
            case .other(_, let failed): failed(failure)
            }
        }
    }

    private let line = Line<Request>()
    private let latches: [Latch]
    private let isUp: ConnectedCount

    /// Connects.
    ///
    /// - Parameter isToLast: for readers that also write: whether that is on the disk when it is acknowledged.
    /// - Throws: ``PostgresStoreError``.
    init(
        _ database: Database, _ watchdog: StoreWatchdog, count: Int, isToLast: Bool = true
    ) throws(PostgresStoreError) {
        latches = (0..<count).map { _ in Latch() }
        let isUp = ConnectedCount()
        self.isUp = isUp
        for latch in latches {
            do throws(PostgresStoreError) {
                let health = watchdog.health(of: "read")
                try Worker<PostgresStoreError>.start(named: "postgres-reader") { [line] beginning in
                    do throws(PostgresFailure) {
                        let connection = try database.connect(isToLast: isToLast)
                        isUp.add(1)
                        beginning.report(.success(()))
                        Self.run(database, consume connection, health, isToLast, line, isUp)
                    } catch {
                        beginning.report(.failure(PostgresStoreError(database.target, error)))
                    }
                    latch.open()
                }
            } catch {
                line.close()
                throw error
            }
        }
    }

    deinit { line.close() }

    /// Whether any reader has a connection.
    var isConnected: Bool { isUp.isAny }

    /// Asks; fails at once where no reader has a connection.
    func submit(_ request: Request) {
        if !isUp.isAny || !line.append(request) { request.fail(.notSent) }
    }

    /// Has a statement run by itself.
    ///
    /// - Throws: what the caller of a read is told.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (Reader) throws(PostgresFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, StoreFailure>, Never>) in
            submit(
                .other { (reader) throws(PostgresFailure) in
                    continuation.resume(returning: .success(try body(reader)))
                } failed: {
                    continuation.resume(returning: .failure($0))
                })
        }
        return try result.get()
    }

    /// Finishes what was asked, and disconnects.
    func close() async {
        line.close()
        for latch in latches { await latch.wait() }
    }

    private static func run(
        _ database: Database, _ first: consuming Connection, _ health: StoreHealth, _ isToLast: Bool,
        _ line: Line<Request>, _ isUp: ConnectedCount
    ) {
        var reader: Reader? = Reader(first, database)
        defer { if reader != nil { isUp.add(-1) } }
        while true {
            if reader == nil {
                do throws(PostgresFailure) {
                    reader = Reader(try database.connect(isToLast: isToLast), database)
                    isUp.add(1)
                    health.noteSuccess()
                } catch {
                    health.noteFailure(error.explanation)
                }
            }
            guard let requests = line.take(upTo: database.settings.groupLimit, sleeps: reader != nil) else { return }
            if let known = reader, !database.isCurrent(known.connection) || !known.connection.isAlive {
                database.counts.noteLoss()
                do throws(PostgresFailure) {
                    reader = Reader(try database.connect(isToLast: isToLast), database)
                } catch {
                    reader = nil
                    isUp.add(-1)
                    health.noteFailure(error.explanation)
                }
            }
            guard let current = reader else {
                for request in requests { request.fail(.notSent) }
                Pause.wait(database.settings.patience)
                continue
            }
            health.begin()
            if let failure = current.answer(requests) {
                health.noteFailure(failure.explanation)
                // Also after a time-out: the server ends the statement by itself.
                if failure.endsConnection || failure.kind == .timedOut {
                    reader = nil
                    isUp.add(-1)
                    database.counts.noteLoss()
                }
            } else {
                health.noteSuccess()
            }
        }
    }
}
