import Entities
import Foundation
import Locking
import PostgresStore
import TestSupport

/// A schema of a PostgreSQL server; time passes there by moving what is stored into the past.
final class PostgresBench: StoreBench {
    let schema = PostgresServer.schema(for: "/" + UUID().uuidString)
    private let server: PostgresServer?
    private let adjust: @Sendable (inout PostgresStore.Settings) -> Void
    private let opened = Lock<PostgresStore?>(nil)

    /// - Parameter server: a server of the test's own; nil for the shared one.
    init(
        on server: PostgresServer? = nil,
        _ adjust: @escaping @Sendable (inout PostgresStore.Settings) -> Void = { _ in }
    ) {
        (self.server, self.adjust) = (server, adjust)
    }

    var database: PostgresServer { get throws { try server ?? PostgresServer.shared.get() } }

    func open() async throws -> any EntityStore {
        let store = try await onThread { try self.openPostgres() }
        opened.withLock { $0 = store }
        return store
    }

    private func openPostgres() throws -> PostgresStore {
        var settings = PostgresStore.Settings()
        settings.schema = schema
        adjust(&settings)
        return try PostgresStore(uri: database.uri(), settings: settings)
    }

    func pass(_ time: Duration) async throws {
        // Everything under way has its time first.
        if let store = opened.withLock({ $0 }) {
            _ = await store.isReady
            _ = await store.expired(after: .seconds(1_000_000_000), limit: 0)
        }
        _ = try await onThread {
            try self.sql(
                """
                UPDATE %.entities SET used = used - INTERVAL '\(time / .seconds(1)) seconds',
                    due = due - INTERVAL '\(time / .seconds(1)) seconds';
                UPDATE %.keys SET ends = ends - INTERVAL '\(time / .seconds(1)) seconds'
                """)
        }
    }

    func remove() async { _ = try? await onThread { try self.sql("DROP SCHEMA IF EXISTS % CASCADE") } }

    /// Runs SQL on the tables; `%` stands for the schema.
    @discardableResult
    func sql(_ text: String) throws -> String { try database.run(text.replacing("%", with: schema)) }

    /// Runs a test over two stores of one new schema.
    static func withReplicas(
        _ adjust: @escaping @Sendable (inout PostgresStore.Settings) -> Void = { _ in },
        on server: PostgresServer? = nil,
        _ body: (PostgresStore, PostgresStore, PostgresBench) async throws -> Void
    ) async throws {
        let bench = PostgresBench(on: server, adjust)
        try await onOwnThread {
            let (one, other) = (try bench.openPostgres(), try bench.openPostgres())
            let result = await Result(catching: { try await body(one, other, bench) })
            await one.closed()
            await other.closed()
            try result.get()
        }
        await bench.remove()
    }

    /// Runs a test over one store of a new schema.
    static func withReplica(
        _ adjust: @escaping @Sendable (inout PostgresStore.Settings) -> Void = { _ in },
        on server: PostgresServer? = nil,
        _ body: (PostgresStore, PostgresBench) async throws -> Void
    ) async throws {
        try await withReplicas(adjust, on: server) { one, _, bench in try await body(one, bench) }
    }
}

extension Result where Failure == any Error {
    /// The result of an asynchronous call.
    init(catching body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
