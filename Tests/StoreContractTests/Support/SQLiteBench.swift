import Entities
import Foundation
import Locking
import StoreParts
import Testing

@testable import SQLiteStore

/// A directory with the file of a store.
final class SQLiteBench: StoreBench {
    let directory: String
    let clock = StoppedClock()
    private let events = Lock<[StoreEvent]>([])
    private let adjust: @Sendable (inout SQLiteStore.Settings) -> Void

    /// - Parameter directory: an existing directory; nil for a temporary one.
    init(
        in directory: String? = nil, _ adjust: @escaping @Sendable (inout SQLiteStore.Settings) -> Void = { _ in }
    ) throws {
        self.directory = directory ?? NSTemporaryDirectory() + "store-\(UUID())"
        self.adjust = adjust
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: true)
    }

    /// The file of the store.
    var path: String { directory + "/bindery.db" }

    /// What the store told the log, in order.
    var told: [StoreEvent] { events.withLock { $0 } }

    func open() throws -> any EntityStore { try openSQLite() }

    func openSQLite() throws -> SQLiteStore {
        var settings = SQLiteStore.Settings()
        settings.now = { [clock] in clock.now }
        settings.tell = { [self] event in events.withLock { $0.append(event) } }
        settings.durability = .process
        adjust(&settings)
        return try SQLiteStore(path, settings)
    }

    func pass(_ time: Duration) { clock.pass(time) }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// Opens a store, commits texts to a session, and closes it.
    func prepare(_ line: inout Line, _ text: String) async throws {
        let store = try openSQLite()
        _ = await line.commit(text, to: store)
        await store.closed()
    }

    /// The names of the files in the directory.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }

    /// The first column of the first row, as another program reads it.
    func integer(_ statement: String) throws -> Int64? { try Connection(path).integer(statement) }

    /// Runs a test in a temporary directory.
    static func with(_ body: (SQLiteBench) async throws -> Void) async throws {
        let bench = try SQLiteBench()
        do { try await body(bench) } catch {
            bench.remove()
            throw error
        }
        bench.remove()
    }
}

/// The error with which a call fails.
func refusal(_ body: () throws -> Void) -> SQLiteStoreError? {
    do {
        try body()
        return nil
    } catch { return error as? SQLiteStoreError }
}

/// Expects that a call fails with an error of this kind.
func expect(_ code: SQLiteStoreError.Code, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    #expect(refusal(body)?.code == code, sourceLocation: location)
}
