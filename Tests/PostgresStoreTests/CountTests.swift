import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("How many sessions there are")
struct CountTests {
    @Test("what begins and ends here counts at once, what does elsewhere within a second or so")
    func both() async throws {
        try await withReplicas { one, other in
            #expect(try await one.store.count() == 0)
            #expect(try await other.store.count() == 0)
            let (first, second) = (Steps(), Steps())
            try await one.commit(first.creation())
            try await one.commit(second.creation())
            #expect(try await one.store.count() == 2)
            try await one.delete(first.id, at: first.version(0))
            #expect(try await one.store.count() == 1)
            #expect(try await eventually { try await other.store.count() == 1 })
        }
    }

    @Test("nobody waits for a server that does not come to an end with counting")
    func hung() async throws {
        var settings = Settings()
        settings.countInterval = .zero
        settings.lockTimeout = .seconds(30)
        try await withReplicas(settings) { one, _ in
            try await one.commit(Steps().creation())
            #expect(try await one.store.count() == 1)
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE")
            // What was counted before is kept for a while.
            #expect(try await eventually { try await one.store.count() == 1 && one.store.sessionCount.isUnderWay })
            try holder.execute("ROLLBACK")
            #expect(await eventually { !one.store.sessionCount.isUnderWay })
            try await one.commit(Steps().creation())
            #expect(try await eventually { try await one.store.count() == 2 })
        }
    }
}
