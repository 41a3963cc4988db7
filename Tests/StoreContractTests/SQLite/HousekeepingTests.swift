import Entities
import StoreParts
import Testing

@testable import SQLiteStore

/// Protects a file from growth, and a session from an early end.
@Suite("Housekeeping of a SQLite file")
struct HousekeepingTests {
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
