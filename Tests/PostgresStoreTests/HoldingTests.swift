import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Who has the tables open")
struct HoldingTests {
    @Test("a writer that was cut off does not come back while another is alone with them")
    func cutOff() async throws {
        let server = try await PostgresServer.ready()
        try await withReplicas { one, other in
            let name = try #require(SchemaName(one.schema))
            let target = try Target(server.uri())
            let database = try Database.open(target, Settings(schema: name)).database
            await one.store.close()
            await other.store.close()
            let alone = try PostgresStore(uri: server.uri(), schema: name, purpose: .source)
            let failure = #expect(throws: PostgresFailure.self) { try database.hold(database.connect()) }
            #expect(failure?.state == PostgresStoreError.inUseState)
            let error = #expect(throws: PostgresStoreError.self) { try PostgresStore(uri: server.uri(), schema: name) }
            #expect(error?.code == .inUse)
            await alone.close()
            try database.hold(database.connect())
        }
    }

    @Test("a copy whose connection was cut says that it may not be whole")
    func copyCut() async throws {
        try await withReplicas { one, other in
            try await one.commit(Steps().creation())
            await one.store.close()
            await other.store.close()
            let alone = try PostgresStore(
                uri: one.server.uri(), schema: #require(SchemaName(one.schema)), purpose: .source)
            let copied = try await alone.copy(to: MemoryStore(), as: "the tables")
            #expect(copied.sessions == 1)
            try one.server.run(
                """
                SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.mode = 'ExclusiveLock'
                AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('bindery store \(one.schema)', 0)
                """)
            await #expect(throws: CopyFailure.notAlone) { try await alone.copy(to: MemoryStore(), as: "the tables") }
            await alone.close()
        }
    }

    @Test("a writer that was cut off does not come back to a part that a copy left")
    func partLeft() async throws {
        let server = try await PostgresServer.ready()
        try await withReplicas { one, other in
            let name = try #require(SchemaName(one.schema))
            let database = try Database.open(Target(server.uri()), Settings(schema: name)).database
            await one.store.close()
            await other.store.close()
            let target = try PostgresStore(uri: server.uri(), schema: name, purpose: .target)
            try await target.noteFilling(from: "a file")
            await target.close()
            let failure = #expect(throws: PostgresFailure.self) { try database.hold(database.connect()) }
            #expect(failure?.state == PostgresStoreError.inUseState)
        }
    }

    @Test("two clients, each with a connection of the server to itself, are taken")
    func noPooler() async throws {
        let server = try await PostgresServer.ready()
        try await onThread { _ = try PoolerCheck.connect(Target(server.uri())) }
    }

    @Test(
        "two clients to whom one connection of the server, two or more are given in turn are told of the pooler",
        arguments: [true, false], 1...5)
    func pooler(isInTurn: Bool, connections: Int) {
        var pool = Array(1...Int64(connections))
        func process() -> Int64 {
            // The one that was used last, or the one that has not been used for longest.
            let process = isInTurn ? pool.removeFirst() : pool.removeLast()
            pool.append(process)
            return process
        }
        let failure = #expect(throws: PostgresFailure.self) { try PoolerCheck.run(process, and: process) }
        #expect(failure?.message.contains("pool_mode = session") == true)
    }
}
