import PostgresStore
import SQLiteStore
import Sessions
import TestSupport
import Testing

/// The stores that have to keep the contract; a new one is a line here and a line below.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlitePower = "SQLite, durability power"
    case sqliteProcess = "SQLite, durability process"
    case postgres = "PostgreSQL"

    /// Those whose sessions are there again when the store is opened again.
    static let durable: [StoreKind] = [.sqlitePower, .sqliteProcess, .postgres]

    var testDescription: String { rawValue }

    /// Runs a test over an empty store that nobody else uses, and closes it.
    func withStore(_ body: (any SessionStore, StoppedClock) async throws -> Void) async throws {
        guard self != .postgres else {
            return try await PostgresServer.turns.take { try await onOwnThread { try await withOwnStore(body) } }
        }
        try await withOwnStore(body)
    }

    private func withOwnStore(_ body: (any SessionStore, StoppedClock) async throws -> Void) async throws {
        let timeOfDay = StoppedClock()
        try await withTemporaryDirectory { directory in
            let store = try open(in: directory, timeOfDay)
            do {
                try await body(store, timeOfDay)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    /// Runs a test over an empty store.
    func withStore(_ body: (any SessionStore) async throws -> Void) async throws {
        try await withStore { store, _ in try await body(store) }
    }

    /// Opens the store that lives in a directory.
    func open(
        in directory: String, _ timeOfDay: StoppedClock, for purpose: StorePurpose = .service
    ) throws -> any SessionStore {
        let now: @Sendable () -> TimeOfDay = { timeOfDay.now }
        return switch self {
        case .memory: MemoryStore(now: now)
        case .sqlitePower:
            try SQLiteStore(path: directory + "/bindery.db", durability: .power, now: now, purpose: purpose)
        case .sqliteProcess:
            try SQLiteStore(path: directory + "/bindery.db", durability: .process, now: now, purpose: purpose)
        case .postgres:
            // The schema stands for the directory: opened again, it is the same.
            try PostgresStore(
                uri: PostgresServer.shared.get().uri(),
                schema: #require(SchemaName(PostgresServer.schema(for: directory))),
                now: now, purpose: purpose)
        }
    }
}
