import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Ends under another time to live")
struct EndsMovedTests {
    /// Opens the tables with a time to live, and moves ends by no more than two at a time.
    private func open(_ replica: Replica, _ seconds: Int) throws -> PostgresStore {
        var settings = Settings(schema: try #require(SchemaName(replica.schema)))
        settings.timeToLive = .seconds(seconds)
        settings.moveLimit = 2
        return try PostgresStore(uri: replica.server.uri(), settings: settings)
    }

    private func ends(_ store: PostgresStore, _ all: [Steps]) async throws -> [Int64?] {
        var ends: [Int64?] = []
        for steps in all { ends.append(try await store.load(steps.id)?.end?.secondsSince1970) }
        return ends
    }

    @Test("a longer one puts off all that were there when it came, and each once")
    func longer() async throws {
        var settings = Settings()
        settings.timeToLive = .seconds(100)
        try await withReplicas(settings) { one, _ in
            let now = try #require(one.store.timeOfDay)
            let all = (0..<9).map { _ in Steps() }
            for (place, steps) in all.enumerated() {
                try await one.commit(steps.creation(end: now + 50 + place))
            }
            let endless = Steps()
            try await one.commit(endless.creation())
            let longer = try open(one, 1000)
            let expected = (0..<9).map { Optional(now.secondsSince1970 + 950 + Int64($0)) }
            #expect(try await eventually { try await ends(longer, all) == expected })
            #expect(try await longer.load(endless.id)?.end == nil)
            _ = try await longer.deleteEnded(by: now, limit: 10)
            #expect(try await ends(longer, all) == expected)
            await longer.close()
        }
    }

    @Test("a shorter one leaves each session as long as it lives when it is used now")
    func shorter() async throws {
        var settings = Settings()
        settings.timeToLive = .seconds(10_000)
        try await withReplicas(settings) { one, _ in
            let now = try #require(one.store.timeOfDay)
            let (fresh, idle, ending) = (Steps(), Steps(), Steps())
            try await one.commit(fresh.creation(end: now + 10_000))
            try await one.commit(idle.creation(end: now + 2000))
            try await one.commit(ending.creation(end: now + 50))
            let shorter = try open(one, 100)
            let isMoved = try await eventually {
                let ends = try await ends(shorter, [fresh, idle, ending]).map { ($0 ?? 0) - now.secondsSince1970 }
                return (100...160).contains(ends[0]) && (100...160).contains(ends[1]) && ends[2] == 50
            }
            #expect(isMoved)
            await shorter.close()
        }
    }

    @Test("a session that was used while ends were being moved ends no later than a time to live from then")
    func usedMeanwhile() async throws {
        var settings = Settings()
        settings.timeToLive = .seconds(100)
        try await withReplicas(settings) { one, _ in
            let now = try #require(one.store.timeOfDay)
            try await one.commit(Steps().creation(end: now + 50))
            let used = Steps()
            // As by a replica that has the other time to live already.
            try await one.commit(used.creation(end: now + 1000))
            let longer = try open(one, 1000)
            #expect(try await eventually { try one.server.run("SELECT moving_by FROM \(one.schema).store") == "" })
            let end = try await ends(longer, [used])[0] ?? 0
            #expect((now.secondsSince1970 + 1000...now.secondsSince1970 + 1060).contains(end))
            await longer.close()
        }
    }

    @Test("while somebody holds a session whose end is to be moved, others end, but for those that have time yet")
    func heldSession() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.timeToLive = .seconds(100)
        settings.lockTimeout = .milliseconds(100)
        settings.log = log
        try await withReplicas(settings) { one, other in
            let now = try #require(one.store.timeOfDay)
            let (held, unmoved, ended) = (Steps(), Steps(), Steps())
            try await one.commit(held.creation(end: now + 90))
            try await one.commit(unmoved.creation(end: now + 50))
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; SELECT FROM sessions WHERE id = '\\x\(held.id.rawValue)' FOR UPDATE")
            var longer = settings
            longer.timeToLive = .seconds(1000)
            longer.schema = try #require(SchemaName(one.schema))
            let store = try PostgresStore(uri: one.server.uri(), settings: longer)
            #expect(try await eventually { try one.server.run("SELECT moving_by FROM \(one.schema).store") == "900" })
            // Begun since.
            try await one.commit(ended.creation(end: now + 60))
            let gone = try await store.deleteEnded(by: now + 70, limit: 10)
            #expect(gone == [ended.id])
            #expect(try await ends(other.store, [unmoved]) == [now.secondsSince1970 + 50])
            #expect(log.named("store-lost").isEmpty)
            try holder.execute("ROLLBACK")
            #expect(try await store.deleteEnded(by: now + 70, limit: 10) == [])
            #expect(try await ends(other.store, [unmoved]) == [now.secondsSince1970 + 950])
            await store.close()
        }
    }

    @Test("another change before the first is over is as if that had been over")
    func twice() async throws {
        var settings = Settings()
        settings.timeToLive = .seconds(100)
        try await withReplicas(settings) { one, _ in
            let now = try #require(one.store.timeOfDay)
            let all = (0..<5).map { _ in Steps() }
            for steps in all { try await one.commit(steps.creation(end: now + 90)) }
            // As a replica leaves them that dies after the first three.
            try one.server.run(
                """
                UPDATE \(one.schema).store SET time_to_live = 300, moving_by = 200,
                    moved_to = (SELECT number FROM \(one.schema).sessions ORDER BY number LIMIT 1 OFFSET 2),
                    moving_until = (SELECT max(number) FROM \(one.schema).sessions);
                UPDATE \(one.schema).sessions SET ends = ends + 200
                    WHERE number <= (SELECT moved_to FROM \(one.schema).store)
                """)
            let longer = try open(one, 1000)
            let expected = all.map { _ in Optional(now.secondsSince1970 + 990) }
            #expect(try await eventually { try await ends(longer, all) == expected })
            await longer.close()
        }
    }
}

private func + (time: TimeOfDay, seconds: Int) -> TimeOfDay {
    TimeOfDay(secondsSince1970: time.secondsSince1970 + Int64(seconds))
}
