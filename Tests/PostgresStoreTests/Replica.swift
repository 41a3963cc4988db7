import Foundation
import Locking
import Sessions
import TestSupport

@testable import PostgresStore

/// One of two stores over one schema of a server.
struct Replica: Sendable {
    let store: PostgresStore
    let server: PostgresServer
    let schema: String

    func commit(_ commit: Commit) async throws(StoreFailure) { try await store.commit(commit) }
    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? { try await store.load(id) }
    func load(_ id: SessionID, unless known: CommitVersion) async throws(StoreFailure) -> LoadedSession {
        try await store.load(id, unless: known)
    }
    func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        try await store.delete(id, at: version)
    }
    func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? {
        store.watch(id, moved)
    }

    /// The sum of a measure of the store's.
    func measure(_ name: String) -> Double {
        store.measures.first { $0.name == name }?.samples.map(\.value).reduce(0, +) ?? -1
    }

    /// Why something fails; nil where it does not.
    func failure(_ body: () async throws(StoreFailure) -> Void) async -> StoreFailure? {
        do throws(StoreFailure) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Whether something fails as it does without a connection.
    func fails(_ body: () async throws(StoreFailure) -> Void) async -> Bool { await failure(body) == .notSent }
}

/// Runs a test over two stores of one new schema.
func withReplicas(
    _ settings: Settings = Settings(), on server: PostgresServer? = nil,
    _ body: (Replica, Replica) async throws -> Void
) async throws {
    guard let server else {
        let shared = try await PostgresServer.ready()
        return try await PostgresServer.turns.take { try await withReplicas(settings, on: shared, body) }
    }
    try await onOwnThread {
        let schema = PostgresServer.schema(for: "/" + UUID().uuidString)
        var settings = settings
        settings.schema = SchemaName(schema) ?? .standard
        let (one, other) = try (
            PostgresStore(uri: server.uri(), settings: settings), PostgresStore(uri: server.uri(), settings: settings)
        )
        do {
            try await body(
                Replica(store: one, server: server, schema: schema),
                Replica(store: other, server: server, schema: schema))
        } catch {
            await one.close()
            await other.close()
            throw error
        }
        await one.close()
        await other.close()
        try server.run("DROP SCHEMA \(schema) CASCADE")
    }
}

/// What a watch was told.
final class Told: Sendable {
    private let versions = Lock<[CommitVersion?]>([])

    func note(_ version: CommitVersion?) { versions.withLock { $0.append(version) } }
    func has(_ version: CommitVersion?) -> Bool { versions.withLock { $0.contains { $0 == version } } }
}
