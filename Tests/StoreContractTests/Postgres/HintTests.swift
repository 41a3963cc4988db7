import Entities
import TestSupport
import Testing

@testable import PostgresStore

/// Protects that replicas hear of changes at once.
@Suite("Hints")
struct HintTests {
    @Test("tell other replicas of a commit and of an end, and not their own")
    func told() async throws {
        try await PostgresBench.withReplicas { one, other, bench in
            let (own, foreign) = (History<EntityID?>(), History<EntityID?>())
            one.observe { own.append($0) }
            other.observe { foreign.append($0) }
            try await bench.awaitListeners(2)
            var line = Line(EntityID(kind: "orders", text: "orders/7 f"))
            #expect(await one.stored(line.begin()) == "stored")
            #expect(await eventually { foreign.all.contains(line.id) })
            #expect(await one.stored(line.next()) == "stored")
            #expect(await eventually { foreign.all.count { $0 == line.id } == 2 })
            #expect(await one.stored(line.end()) == "stored")
            #expect(await eventually { foreign.all.count { $0 == line.id } == 3 })
            #expect(!own.all.contains(line.id))
        }
    }

    @Test("may have been lost when the connection is made anew, and are heard again afterwards")
    func reconnected() async throws {
        let server = try await PostgresServer.started()
        try await PostgresBench.withReplicas(on: server) { one, other, bench in
            try await bench.awaitListeners(2)
            let told = History<EntityID?>()
            other.observe { told.append($0) }
            try server.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'bindery' AND query LIKE 'LISTEN%'
                """)
            // The first of these commits rings the bell of a thread that waits before it connects again.
            var number = 0
            let areHeard = await eventually {
                number += 1
                var line = Line.session("\(number)")
                _ = await one.stored(line.begin())
                return told.all.contains { $0 != nil }
            }
            #expect(areHeard)
        }
    }

    @Test("are replaced by polling if asked, without a connection that listens")
    func polling() async throws {
        let server = try await PostgresServer.started()
        try await PostgresBench.withReplica(
            {
                $0.hints = .poll
                $0.pollInterval = .milliseconds(5)
            }, on: server
        ) { one, bench in
            let told = History<EntityID?>()
            one.observe { told.append($0) }
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            #expect(await eventually { told.all.count >= 3 })
            #expect(told.all.allSatisfy { $0 == nil })
            let listeners = try server.run("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            #expect(listeners == "0")
        }
    }
}

extension PostgresBench {
    /// Waits until connections of the server listen, the shared server's apart from other tests'.
    fileprivate func awaitListeners(_ count: Int) async throws {
        let listeners = "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN \"%\"' AND state = 'idle'"
        #expect(try await eventually { try sql(listeners) == "\(count)" })
    }
}
