import Sessions

/// The readers of a store: a few threads, each with its own connection, off the cooperative pool.
///
/// A reader never waits for the writer, nor the writer for a reader (https://sqlite.org/wal.html, section 2.2).
final class Readers: Sendable {
    /// A session to be read, and whom to tell.
    struct Request: Sendable {
        let id: SessionID
        let done: @Sendable (Result<SessionRecord?, StoreFailure>) -> Void
    }

    private let line = Line<Request>()
    private let latches: [Latch]

    /// Opens the connections; the file has to be there.
    init(_ path: String, _ settings: Settings) throws(SQLiteStoreError) {
        latches = (0..<settings.readers).map { _ in Latch() }
        for latch in latches {
            do throws(SQLiteStoreError) {
                try Worker.start(named: "sqlite-reader") { [line] beginning in
                    Self.run(path, settings, line, beginning)
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
        let result = await withCheckedContinuation { continuation in
            if !line.append(Request(id: id, done: { continuation.resume(returning: $0) })) {
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
        _ path: String, _ settings: Settings, _ line: Line<Request>, _ beginning: Worker.Beginning
    ) {
        let reader: SessionReader
        do throws(SQLiteFailure) {
            let connection = try Connection(path: path, .read, patience: settings.patience)
            reader = try SessionReader(connection, settings)
        } catch {
            return beginning.report(.failure(SQLiteStoreError(path, error)))
        }
        beginning.report(.success(()))
        var isWorking = true
        while let requests = line.take(upTo: 1) {
            for request in requests {
                do throws(SQLiteFailure) {
                    let record = try reader.load(request.id)
                    isWorking = true
                    request.done(.success(record))
                } catch {
                    // One line for a spell of failures, not one for each.
                    if isWorking { settings.notice("\(path) cannot be read: \(error.message).") }
                    isWorking = false
                    request.done(.failure(error.storeFailure))
                }
            }
        }
    }
}
