import Foundation
import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("What a database's incarnation tells")
struct IncarnationTests {
    private let steps = Steps()

    @Test("one that went on after a crash is another, though the server was not started anew")
    func crash() async throws {
        let server = try await PostgresServer.started()
        try await withReplicas(on: server) { one, other in
            let incarnation = one.store.incarnation
            try await one.commit(steps.creation())
            let pid = try server.run(
                "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'bindery'")
            kill(try #require(pid_t(pid)), SIGKILL)
            #expect(await eventually { (try? await one.load(steps.id)) != nil })
            #expect(await eventually { one.store.incarnation != incarnation })
            #expect(await eventually { one.store.incarnation == other.store.incarnation })
        }
    }

    @Test("rows that were put back while no replica had them open are others")
    func rowsPutBack() async throws {
        try await withReplicas { one, other in
            let incarnation = one.store.incarnation
            let name = try #require(SchemaName(one.schema))
            let beside = try PostgresStore(uri: one.server.uri(), schema: name)
            #expect(beside.incarnation == incarnation)
            for store in [one.store, other.store, beside] { await store.close() }
            let later = try PostgresStore(uri: one.server.uri(), schema: name)
            #expect(later.incarnation != incarnation)
            await later.close()
        }
    }

    @Test("tables that are put back under a replica that serves take no commit of before, and are others")
    func tablesPutBack() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.log = log
        try await withReplicas(settings) { one, other in
            try await one.commit(steps.creation())
            let incarnation = one.store.incarnation
            let kept = "kept_\(one.schema)"
            try one.server.run("CREATE TABLE \(kept) AS SELECT * FROM \(one.schema).sessions")
            // What a replica does that no other knows of.
            try await other.commit(steps.step(from: 0))
            try one.server.run("DROP SCHEMA \(one.schema) CASCADE")
            let name = try #require(SchemaName(one.schema))
            try await PostgresStore(uri: one.server.uri(), schema: name).close()
            try one.server.run(
                "INSERT INTO \(one.schema).sessions OVERRIDING SYSTEM VALUE SELECT * FROM \(kept); DROP TABLE \(kept)")
            #expect(await one.fails { () throws(StoreFailure) in try await one.commit(steps.step(from: 0)) })
            #expect(await eventually { one.store.incarnation != incarnation })
            #expect(try await one.load(steps.id)?.head == steps.head(0))
            #expect(await eventually { (try? await one.commit(steps.step(from: 0))) != nil })
            // Nor is a session begun in them as in those of before.
            #expect(await other.fails { () throws(StoreFailure) in try await other.commit(Steps().creation()) })
            #expect(await eventually { other.store.incarnation == one.store.incarnation })
        }
        #expect(!log.named("store-changed").isEmpty)
    }

    @Test("tables that were written anew are the same, and so they are in another time zone")
    func rewritten() async throws {
        try await withReplicas { one, _ in
            try one.server.run("VACUUM FULL \(one.schema).sessions")
            let zone = "&options=-c%20TimeZone%3DAsia/Tokyo%20-c%20extra_float_digits%3D0"
            let store = try PostgresStore(
                uri: one.server.uri() + zone, schema: #require(SchemaName(one.schema)))
            #expect(store.incarnation == one.store.incarnation)
            await store.close()
        }
    }

    @Test("replicas that start at once find the same, and none of them says that the server has changed")
    func together() async throws {
        let server = try await PostgresServer.ready()
        let name = try #require(SchemaName(PostgresServer.schema(for: "/\(UUID().uuidString)")))
        let log = RecordedEvents()
        try await PostgresServer.turns.take {
            let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await onThread { try PostgresStore(uri: server.uri(), schema: name, log: log) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(stores.map(\.incarnation)).count == 1)
            for store in stores { await store.close() }
        }
        #expect(log.named("store-changed").isEmpty)
        try server.run("DROP SCHEMA \(name.rawValue) CASCADE")
    }
}
