import CPostgres
import Entities
import TestSupport
import Testing

@testable import PostgresStore

/// Protects one session from the locks of another one.
@Suite("A row that another transaction holds")
struct HeldTests {
    /// A transaction of its own that holds the row of an entity.
    private final class Holder {
        private let connection: Connection

        init(_ id: EntityID, in bench: PostgresBench) throws {
            connection = try Connection(Target(bench.database.uri()))
            try run("BEGIN; SELECT FROM \(bench.schema).entities WHERE id = '\(id.text)' FOR UPDATE")
        }

        func run(_ commands: String) throws { try connection.execute(commands, within: .seconds(60)) }
        func letGo() throws { try run("COMMIT") }
    }

    @Test("keeps its own commit waiting, and no other")
    func others() async throws {
        try await PostgresBench.withReplica { one, bench in
            var (held, free) = (Line.session("held"), Line.session("free"))
            _ = await one.stored([held.begin(), free.begin()])
            let holder = try Holder(held.id, in: bench)
            let told = History<CommitResult>()
            one.submit(held.next()) { told.append($0) }
            one.submit(held.next()) { told.append($0) }
            for _ in 0..<20 { #expect(await one.stored(free.next()) == "stored") }
            #expect(told.all.isEmpty)
            try holder.letGo()
            #expect(await eventually { told.all.count == 2 })
            #expect(told.all == [.stored, .stored])
            #expect(await one.head(of: held.id) == .found(held.state.head))
        }
    }

    @Test("lets the commit conflict if the transaction has changed it")
    func changed() async throws {
        try await PostgresBench.withReplica { one, bench in
            var line = Line.session()
            _ = await one.stored(line.begin())
            let holder = try Holder(line.id, in: bench)
            let told = History<CommitResult>()
            one.submit(line.next()) { told.append($0) }
            try holder.run("UPDATE \(bench.schema).entities SET nonce = nonce + 1 WHERE id = '\(line.id.text)'")
            try holder.letGo()
            #expect(await eventually { told.all == [.conflict] })
        }
    }

    @Test("refuses the commit after the deadline, and the end of the entity, too")
    func deadline() async throws {
        try await PostgresBench.withReplica({ $0.commitTimeout = .seconds(2) }) { one, bench in
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            let stored = line
            let holder = try Holder(line.id, in: bench)
            #expect(await one.stored(line.next()) == "refused")
            #expect(await one.stored(stored.end()) == "refused")
            try holder.letGo()
            #expect(await eventually { await one.stored(stored.end()) == "stored" })
        }
    }

    /// Writes all entities again and again.
    ///
    /// - Returns: how many commits were stored.
    private static func write(_ store: PostgresStore, _ ids: [EntityID]) async -> Int {
        var stored = 0
        for _ in 0..<30 {
            var commits: [Commit] = []
            for id in ids {
                guard case .found(let row) = await store.loaded(id) else { continue }
                var line = Line(row)
                commits.append(line.next())
            }
            let results = await store.stored(commits)
            #expect(results.allSatisfy { ["stored", "conflict"].contains($0) })
            stored += results.count { $0 == "stored" }
        }
        return stored
    }

    @Test("cannot make the groups of two replicas deadlock, which write them in opposite order")
    func deadlock() async throws {
        try await PostgresBench.withReplicas { one, other, bench in
            var lines = (0..<40).map { Line.session("\($0)") }
            _ = await one.stored(lines.indices.map { lines[$0].begin() })
            let ids = lines.map(\.id)
            async let first = Self.write(one, ids)
            async let second = Self.write(other, ids.reversed())
            #expect(await first + second > 0)
            let deadlocks = try bench.sql("SELECT sum(deadlocks) FROM pg_stat_database")
            #expect(deadlocks == "0")
        }
    }
}
