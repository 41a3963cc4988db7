import Entities
import Foundation
import StoreParts
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

/// A store of a test, with answers to await.
struct Replica {
    let store: PostgresStore
    let server: PostgresServer
    let schema: String

    func commit(_ commit: Commit) async -> CommitResult {
        await withCheckedContinuation { continuation in store.submit(commit) { continuation.resume(returning: $0) } }
    }

    func end(_ id: EntityID) async -> CommitResult {
        await withCheckedContinuation { continuation in store.end(id, base: nil) { continuation.resume(returning: $0) }
        }
    }

    func load(_ id: EntityID) async -> LoadResult {
        await withCheckedContinuation { continuation in store.load(id) { continuation.resume(returning: $0) } }
    }

    func head(of id: EntityID) async -> HeadResult {
        await withCheckedContinuation { continuation in store.head(of: id) { continuation.resume(returning: $0) } }
    }

    func lookUp(_ name: String, in id: EntityID) async -> KeyResult {
        await withCheckedContinuation { continuation in
            store.lookUp(StoredKey.named(name).digest, in: id) { continuation.resume(returning: $0) }
        }
    }

    func expire(unusedFor ttl: Duration, limit: Int = 100) async -> [EntityID] {
        await withCheckedContinuation { continuation in
            store.expire(unusedFor: ttl, limit: limit) { continuation.resume(returning: $0.ended) }
        }
    }

    var isReady: Bool {
        get async {
            await withCheckedContinuation { continuation in store.isReady { continuation.resume(returning: $0) } }
        }
    }

    func close() async { await withCheckedContinuation { continuation in store.close { continuation.resume() } } }

    /// Runs SQL on the tables; `%` stands for the schema.
    @discardableResult
    func sql(_ text: String) throws -> String { try server.run(text.replacing("%", with: schema)) }

    /// Submits commits without waiting in between, so that they share groups.
    func commits(_ commits: [Commit]) async -> [CommitResult] {
        let results = Told<CommitResult>()
        await withCheckedContinuation { continuation in
            for commit in commits {
                store.submit(commit) { if results.add($0) == commits.count { continuation.resume() } }
            }
        }
        return results.all
    }
}

/// Runs a test over two stores of one new schema.
func withReplicas(
    _ adjust: (inout PostgresStore.Settings) -> Void = { _ in }, on server: PostgresServer? = nil,
    _ body: (Replica, Replica) async throws -> Void
) async throws {
    let server = if let server { server } else { try await PostgresServer.ready() }
    try await onOwnThread {
        var settings = PostgresStore.Settings()
        settings.schema = PostgresServer.schema(for: "/" + UUID().uuidString)
        adjust(&settings)
        func replica() throws -> Replica {
            Replica(
                store: try PostgresStore(uri: server.uri(), settings: settings), server: server,
                schema: settings.schema)
        }
        let (one, other) = (try replica(), try replica())
        do {
            try await body(one, other)
        } catch {
            await one.close()
            await other.close()
            throw error
        }
        await one.close()
        await other.close()
    }
}

/// Runs a test over one store of a new schema.
func withReplica(
    _ adjust: (inout PostgresStore.Settings) -> Void = { _ in }, on server: PostgresServer? = nil,
    _ body: (Replica) async throws -> Void
) async throws {
    try await withReplicas(adjust, on: server) { one, _ in try await body(one) }
}

/// Waits until a condition holds that no event tells.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(60) {
        if try await condition() { return true }
        await Task.yield()
    }
    return try await condition()
}

/// Collects what a store tells.
final class Told<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }

    /// Returns how many there are.
    @discardableResult
    func add(_ value: Value) -> Int {
        values.withLock { values in
            values.append(value)
            return values.count
        }
    }
}
