import Entities
import TestSupport
import Testing

@testable import PostgresStore

/// Protects the one statement for many entities, and its speed.
@Suite("A group of commits in PostgreSQL")
struct PostgresGroupTests {
    @Test("writes every entity whose base it finds, and no other")
    func mixed() async throws {
        try await PostgresBench.withReplicas { one, other, bench in
            var lines = (0..<50).map { Line.session("\($0)") }
            #expect(await one.stored(lines.indices.map { lines[$0].begin() }).allSatisfy { $0 == "stored" })
            // Another replica changes each second entity.
            for place in lines.indices where place % 2 == 0 {
                var foreign = lines[place]
                #expect(await other.stored(foreign.next("other")) == "stored")
            }
            let results = await one.stored(lines.indices.map { lines[$0].next("one") })
            #expect(results.count { $0 == "stored" } == 25)
            #expect(results.count { $0 == "conflict" } == 25)
            for (place, line) in lines.enumerated() {
                guard case .found(let row) = await one.loaded(line.id) else {
                    Issue.record("a row is missing")
                    continue
                }
                #expect(row.parts.map(\.state) == [Array((place % 2 == 0 ? "other" : "one").utf8)])
            }
        }
    }

    @Test("changes no index: ordinary commits are heap-only updates")
    func heapOnly() async throws {
        // Transactions of other tests would keep old rows alive.
        let server = try await PostgresServer.started()
        try await PostgresBench.withReplica(on: server) { one, bench in
            var lines = (0..<20).map { Line.session("\($0)") }
            _ = await one.stored(lines.indices.map { lines[$0].begin() })
            for _ in 0..<50 {
                let text = String(repeating: "x", count: 200)
                let results = await one.stored(lines.indices.map { lines[$0].next(text) })
                #expect(results.allSatisfy { $0 == "stored" })
            }
            // The server counts at the end of a connection.
            await one.closed()
            let table = "FROM pg_stat_user_tables WHERE schemaname = '%' AND relname = 'entities'"
            #expect(try await eventually { try bench.sql("SELECT n_tup_upd >= 1000 \(table)") == "t" })
            let share = try bench.sql("SELECT n_tup_hot_upd * 100 / n_tup_upd \(table)")
            // The others move to another page, before theirs has room.
            #expect(try #require(Int(share)) >= 95)
        }
    }
}
