import Foundation
import Locking
import Sessions
import TestSupport

@testable import SQLiteStore

/// A directory, and the stores that are opened in it.
struct Bench {
    let directory: String
    let timeOfDay = StoppedClock()
    let log = RecordedEvents()

    /// What the stores told of, but for their openings: each kind with what its field says that is looked at.
    ///
    /// A store answers first and tells the log then: what follows an answer at once is there ``eventually(_:)``.
    var told: [String] {
        log.all.filter { $0.kind.name != "store-opened" }.map { event in
            let words = event.fields.filter { $0.name != "milliseconds" }.map { field in
                switch field.value {
                case .text(let text): text
                case .number(let number): "\(number)"
                case .list(let texts): texts.joined(separator: ",")
                }
            }
            return ([event.kind.name] + words).joined(separator: " ")
        }
    }

    /// Where the store's file is.
    var path: String { directory + "/bindery.db" }

    /// Settings that do not wait for locks.
    var settings: Settings {
        Settings(now: { [timeOfDay] in timeOfDay.now }, log: log, patience: 0)
    }

    /// Opens the store.
    func open(_ change: (inout Settings) -> Void = { _ in }) throws -> SQLiteStore {
        var settings = settings
        change(&settings)
        return try SQLiteStore(path: path, settings: settings)
    }

    /// A connection that is not the store's, as another program has one.
    func connection(to path: String? = nil) throws -> Connection {
        try Connection(path: path ?? self.path, .write, patience: 0)
    }

    /// Makes a store with one session, which stands at seq 1, and closes it.
    func prepare(_ steps: Steps) async throws {
        let store = try open()
        try await store.commit(steps.creation())
        try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
        await store.close()
    }

    /// The names of the files in the directory, and what is in them.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where !name.hasSuffix("-lock") {
            // Not Data(contentsOf:), which leaks a buffer where the file is empty (Swift 6.3).
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory + "/" + name))
            contents[name] = try file.readToEnd() ?? Data()
            try file.close()
        }
        return contents
    }

    /// Writes bytes into a file.
    func write(_ bytes: [UInt8], at offset: UInt64, in path: String? = nil) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path ?? self.path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    /// What each page that was written to the log says of the file's size: a number of pages, where it ends a transaction,
    /// else 0 (https://sqlite.org/fileformat2.html#the_write_ahead_log).
    func writeAheadLog() throws -> [UInt8] {
        let bytes = try contents()["bindery.db-wal"] ?? Data()
        return stride(from: 32, to: bytes.count, by: 24 + 4096).map { $0 + 7 }.map { bytes[$0] | bytes[$0 - 1] }
    }

    /// Copies the files of a store that is open, as a crash would leave them, into a directory of its own.
    func crashed(_ body: (Bench) async throws -> Void) async throws {
        try await withBench { bench in
            for (name, bytes) in try contents() where !name.hasSuffix("-shm") {
                try bytes.write(to: URL(fileURLWithPath: bench.directory + "/" + name))
            }
            try await body(bench)
        }
    }
}

/// Runs a test with a directory of its own.
func withBench(_ body: (Bench) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in try await body(Bench(directory: directory)) }
}

/// The error with which a store cannot be opened or copied.
func refusal(_ body: () async throws -> Void) async -> SQLiteStoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SQLiteStoreError
    }
}
