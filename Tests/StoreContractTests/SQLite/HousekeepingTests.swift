import Entities
import StoreParts
import Testing

@testable import SQLiteStore

/// Protects a file from growth, and a session from an early end.
@Suite("Housekeeping of a SQLite file")
struct HousekeepingTests {
    @Test("moves `used` at most once a minute")
    func touch() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            let store = try bench.openSQLite()
            _ = await line.commit(to: store)
            let begun = try #require(try bench.integer("SELECT used FROM entities"))
            var seen: [Int64] = []
            for _ in 0..<4 {
                bench.pass(.seconds(30))
                store.touch([line.id])
                // Chores come in their order, so this one waits for the touch.
                _ = await store.expired()
                seen.append(try #require(try bench.integer("SELECT used FROM entities")) - begun)
            }
            #expect(seen == [0, 60_000, 60_000, 120_000])
            await store.closed()
        }
    }

    @Test("gives the pages of expired sessions back")
    func shrink() async throws {
        try await SQLiteBench.with { bench in
            let store = try bench.openSQLite()
            let text = String(repeating: "a", count: 20_000)
            for number in 0..<300 {
                var line = Line.session("\(number)")
                _ = await store.stored([line.begin(), line.next(text)])
            }
            let before = try #require(try bench.integer("PRAGMA page_count"))
            bench.pass(.seconds(1_000))
            #expect(await store.expired().count == 300)
            // Each call gives some pages back.
            #expect(await store.expired() == [])
            await store.closed()
            let after = try #require(try bench.integer("PRAGMA page_count"))
            #expect(after < before / 4)
            #expect(after <= Transactions.keptPages + 64)
        }
    }
}
