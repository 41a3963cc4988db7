import CPostgres
import Entities
import TestSupport
import Testing

@testable import PostgresStore

@Suite("A row that another transaction holds")
struct HeldTests {
    /// A transaction of its own that holds the row of an entity.
    private final class Holder {
        private let connection: Connection

        init(_ id: EntityID, in replica: Replica) throws {
            connection = try Connection(Target(replica.server.uri()))
            try run("BEGIN; SELECT FROM \(replica.schema).entities WHERE id = '\(id.text)' FOR UPDATE")
        }

        func run(_ commands: String) throws { try connection.execute(commands, within: .seconds(60)) }
        func letGo() throws { try run("COMMIT") }
    }

    @Test("keeps its own commit waiting, and no other")
    func others() async throws {
        try await withReplica { one in
            var (held, free) = (Line(), Line())
            _ = await one.commits([held.creation, free.creation])
            let holder = try Holder(held.id, in: one)
            let told = Told<CommitResult>()
            one.store.submit(held.next()) { told.add($0) }
            one.store.submit(held.next()) { told.add($0) }
            for _ in 0..<20 { #expect(await one.commit(free.next()).isStored) }
            #expect(told.all.isEmpty)
            try holder.letGo()
            #expect(await eventually { told.all.count == 2 })
            #expect(told.all == [.stored, .stored])
            #expect(await one.head(of: held.id) == .at(held.head))
        }
    }

    @Test("lets the commit conflict if the transaction has changed it")
    func changed() async throws {
        try await withReplica { one in
            var line = Line()
            _ = await one.commit(line.creation)
            let holder = try Holder(line.id, in: one)
            let told = Told<CommitResult>()
            one.store.submit(line.next()) { told.add($0) }
            try holder.run("UPDATE \(one.schema).entities SET nonce = nonce + 1 WHERE id = '\(line.id.text)'")
            try holder.letGo()
            #expect(await eventually { told.all == [.conflict] })
        }
    }

    @Test("refuses the commit after the deadline, and the end of the entity, too")
    func deadline() async throws {
        try await withReplica({ $0.commitTimeout = .seconds(2) }) { one in
            var line = Line()
            #expect(await eventually { await one.commit(line.creation).isStored })
            let holder = try Holder(line.id, in: one)
            #expect(await one.commit(line.next()) == .refused)
            #expect(await one.end(line.id) == .refused)
            try holder.letGo()
            #expect(await eventually { await one.end(line.id).isStored })
        }
    }

    @Test("cannot make the groups of two replicas deadlock")
    func deadlock() async throws {
        try await withReplicas { one, other in
            let lines = (0..<40).map { _ in Line() }
            _ = await one.commits(lines.map(\.creation))
            // Both write all entities again and again, in opposite order.
            @Sendable func write(_ replica: Replica, _ lines: [Line]) async -> Int {
                var stored = 0
                for _ in 0..<30 {
                    var commits: [Commit] = []
                    for line in lines {
                        guard case .found(let row) = await replica.load(line.id) else { continue }
                        var current = Line(row)
                        commits.append(current.next())
                    }
                    let results = await replica.commits(commits)
                    #expect(results.allSatisfy { $0 == .stored || $0 == .conflict })
                    stored += results.count { $0 == .stored }
                }
                return stored
            }
            async let first = write(one, lines)
            async let second = write(other, lines.reversed())
            #expect(await first + second > 0)
            let deadlocks = try one.sql("SELECT sum(deadlocks) FROM pg_stat_database")
            #expect(deadlocks == "0")
        }
    }
}
