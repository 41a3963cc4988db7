import Foundation
import Locking
import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Leases in PostgreSQL")
struct LeaseTests {
    private let id = SessionToken.random().sessionID

    private static func withReplicas(
        _ leaseTime: Duration = .seconds(4), _ body: (Replica, Replica) async throws -> Void
    ) async throws {
        var settings = Settings()
        settings.leaseTime = leaseTime
        try await PostgresStoreTests.withReplicas(settings, body)
    }

    /// What a replica was told of a lease, the latest last.
    private struct Asked {
        let told = History<Bool>()
        let handle: StoreHandle

        init(_ id: SessionID, at replica: Replica) {
            handle = replica.store.lease(id) { [told] in told.note($0) }
        }

        var isHeld: Bool { told.elements.last == true }
    }

    private var bytea: String { "'\\x\(id.bytea.map { String(format: "%02x", $0) }.joined())'" }

    @Test("one of two replicas holds a session's, and the other has it when that one lets it go")
    func released() async throws {
        try await Self.withReplicas { one, other in
            var first: Asked? = Asked(id, at: one)
            #expect(await eventually { first?.isHeld == true })
            let second = Asked(id, at: other)
            // It has asked by the time that it has another.
            let another = Asked(SessionToken.random().sessionID, at: other)
            #expect(await eventually { another.isHeld })
            #expect(second.told.elements.isEmpty)
            first = nil
            #expect(await eventually { second.isHeld })
        }
    }

    @Test("a replica that closes leaves them to the other at once, however long it would have kept them")
    func closed() async throws {
        try await Self.withReplicas(.seconds(1000)) { one, other in
            let first = Asked(id, at: one)
            #expect(await eventually { first.isHeld })
            let second = Asked(id, at: other)
            await one.store.close()
            #expect(await eventually { second.isHeld })
        }
    }

    @Test("what a replica held that died before the clock was set back is another's")
    func setBack() async throws {
        try await Self.withReplicas(.milliseconds(2500)) { one, _ in
            try one.server.run(
                """
                INSERT INTO \(one.schema).replicas VALUES (7, clock_timestamp() + interval '1 hour');
                INSERT INTO \(one.schema).leases VALUES (\(bytea), 7)
                """)
            let asked = Asked(id, at: one)
            #expect(await eventually { asked.isHeld })
        }
    }

    @Test("what a replica held that died is another's when it was not heard of for so long")
    func dead() async throws {
        try await Self.withReplicas(.milliseconds(2500)) { one, _ in
            try one.server.run(
                """
                INSERT INTO \(one.schema).replicas VALUES (7, clock_timestamp());
                INSERT INTO \(one.schema).leases VALUES (\(bytea), 7)
                """)
            let asked = Asked(id, at: one)
            let another = Asked(SessionToken.random().sessionID, at: one)
            #expect(await eventually { another.isHeld })
            #expect(asked.told.elements.isEmpty)
            #expect(await eventually { asked.isHeld })
            let takeovers = one.store.measures.first { $0.name == "bindery_store_leases_taken_over_total" }
            #expect(takeovers?.samples.map(\.value) == [1])
        }
    }

    @Test("one that another got a moment ago is left to it, though it was not yet seen to live")
    func raced() async throws {
        try await Self.withReplicas { one, _ in
            let other = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try other.execute(
                """
                BEGIN;
                INSERT INTO replicas VALUES (7, clock_timestamp());
                INSERT INTO leases VALUES (\(bytea), 7)
                """)
            let asked = Asked(id, at: one)
            #expect(
                try await eventually {
                    try one.server.run(
                        """
                        SELECT count(*) FROM pg_stat_activity a, pg_stat_activity b
                        WHERE b.state = 'idle in transaction' AND b.query LIKE '%\(id.rawValue)%'
                        AND b.pid = ANY (pg_blocking_pids(a.pid))
                        """) == "1"
                })
            try other.execute("COMMIT")
            let another = Asked(SessionToken.random().sessionID, at: one)
            #expect(await eventually { another.isHeld })
            #expect(asked.told.elements.isEmpty)
        }
    }

    @Test("one that another has taken over is held no more, and again when that one is gone")
    func lost() async throws {
        try await Self.withReplicas { one, _ in
            let asked = Asked(id, at: one)
            #expect(await eventually { asked.isHeld })
            // Of a replica that nobody has heard of.
            try one.server.run("UPDATE \(one.schema).leases SET replica = 7")
            #expect(await eventually { asked.told.elements.starts(with: [true, false, true]) })
        }
    }

    @Test("none is believed to be held where the database was not reached in time")
    func away() async throws {
        try await Self.withReplicas(.milliseconds(2500)) { one, _ in
            let asked = Asked(id, at: one)
            #expect(await eventually { asked.isHeld })
            try one.server.run("ALTER TABLE \(one.schema).replicas RENAME TO away")
            #expect(await eventually { !asked.isHeld })
            try one.server.run("ALTER TABLE \(one.schema).away RENAME TO replicas")
            #expect(await eventually { asked.isHeld })
        }
    }
}
