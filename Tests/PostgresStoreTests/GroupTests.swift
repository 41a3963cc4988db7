import Entities
import TestSupport
import Testing

@testable import PostgresStore

@Suite("A group of commits")
struct GroupTests {
    @Test("writes every entity whose base it finds, and no other")
    func mixed() async throws {
        try await withReplicas { one, other in
            var lines = (0..<50).map { _ in Line() }
            #expect(await one.commits(lines.map(\.creation)).allSatisfy(\.isStored))
            // Another replica changes each second entity.
            for place in lines.indices where place % 2 == 0 {
                var foreign = lines[place]
                #expect(await other.commit(foreign.next("other")).isStored)
            }
            let results = await one.commits(lines.indices.map { lines[$0].next("one") })
            #expect(results.count { $0 == .stored } == 25)
            #expect(results.count { $0 == .conflict } == 25)
            for (place, line) in lines.enumerated() {
                guard case .found(let row) = await one.load(line.id) else {
                    Issue.record("a row is missing")
                    continue
                }
                #expect(row.parts.map(\.state) == [Array((place % 2 == 0 ? "other" : "one").utf8)])
            }
        }
    }

    @Test("stores commits that build on each other, with all their keys")
    func pipelined() async throws {
        try await withReplica { one in
            var line = Line()
            var commits = [line.creation]
            for number in 0..<200 { commits.append(line.next("\(number)", key: .named("key \(number)"))) }
            #expect(await one.commits(commits).allSatisfy(\.isStored))
            #expect(await one.head(of: line.id) == .at(line.head))
            let keys = try one.sql("SELECT count(*) FROM %.keys WHERE entity > 0")
            #expect(keys == "200")
        }
    }

    @Test("stores nothing that builds on a conflict")
    func descendants() async throws {
        try await withReplica { one in
            var line = Line()
            #expect(await one.commit(line.creation).isStored)
            let foreign = line
            _ = line.next("lost")
            #expect(await one.commits((0..<10).map { _ in line.next() }).allSatisfy { $0 == .conflict })
            #expect(await one.head(of: line.id) == .at(foreign.head))
        }
    }

    @Test("gives the rest of a key's window")
    func keys() async throws {
        try await withReplica { one in
            var line = Line()
            _ = await one.commits([line.creation, line.next(key: .named("a", window: .seconds(90)))])
            guard case .found(let key) = await one.lookUp("a", in: line.id) else {
                Issue.record("the key is missing")
                return
            }
            #expect(key.remembered == StoredKey.named("a").remembered)
            #expect(key.window > .seconds(30) && key.window <= .seconds(90))
        }
    }

    @Test("changes no index: ordinary commits are heap-only updates")
    func heapOnly() async throws {
        // Transactions of other tests would keep old rows alive.
        let server = try await PostgresServer.started()
        try await withReplica(on: server) { one in
            var lines = (0..<20).map { _ in Line() }
            _ = await one.commits(lines.map(\.creation))
            for _ in 0..<50 {
                let text = String(repeating: "x", count: 200)
                let results = await one.commits(lines.indices.map { lines[$0].next(text) })
                #expect(results.allSatisfy { $0.isStored })
            }
            // The server counts at the end of a connection.
            await one.close()
            let table = "FROM pg_stat_user_tables WHERE schemaname = '%' AND relname = 'entities'"
            #expect(try await eventually { try one.sql("SELECT n_tup_upd >= 1000 \(table)") == "t" })
            let share = try one.sql("SELECT n_tup_hot_upd * 100 / n_tup_upd \(table)")
            // The others move to another page, before theirs has room.
            #expect(try #require(Int(share)) >= 95)
        }
    }
}

extension CommitResult {
    var isStored: Bool { self == .stored }
}
