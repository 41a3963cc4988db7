import Entities
import Foundation
import Locking
import PostgresStore
import TestSupport

/// A schema of a PostgreSQL server; time passes there by moving what is stored into the past.
final class PostgresBench: StoreBench {
    private let schema = PostgresServer.schema(for: "/" + UUID().uuidString)
    private let opened = Lock<PostgresStore?>(nil)

    func open() async throws -> any EntityStore {
        let server = try await PostgresServer.ready()
        var settings = PostgresStore.Settings()
        settings.schema = schema
        let store = try await onThread { [settings] in try PostgresStore(uri: server.uri(), settings: settings) }
        opened.withLock { $0 = store }
        return store
    }

    func pass(_ time: Duration) async throws {
        // Everything under way has its time first.
        if let store = opened.withLock({ $0 }) {
            _ = await store.isReady
            _ = await store.expired(after: .seconds(1_000_000_000), limit: 0)
        }
        try await run(
            """
            UPDATE \(schema).entities SET used = used - INTERVAL '\(time / .seconds(1)) seconds';
            UPDATE \(schema).keys SET ends = ends - INTERVAL '\(time / .seconds(1)) seconds'
            """)
    }

    func remove() async { try? await run("DROP SCHEMA IF EXISTS \(schema) CASCADE") }

    private func run(_ sql: String) async throws {
        let server = try await PostgresServer.ready()
        _ = try await onThread { try server.run(sql) }
    }
}
