import Entities
import StoreParts
import Testing

@testable import SQLiteStore

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

    @Test("does what was asked before the close")
    func close() async throws {
        try await SQLiteBench.with { bench in
            let store = try bench.openSQLite()
            let lines = (0..<200).map { Line.session("\($0)") }
            _ = await store.stored(
                lines.map { line in
                    var line = line
                    return line.begin()
                })
            bench.pass(.seconds(600))
            store.touch(lines.map(\.id))
            await store.closed()
            #expect(try bench.integer("SELECT count(DISTINCT used) FROM entities") == 1)
            #expect(try bench.integer("SELECT max(used) FROM entities") == bench.clock.now.milliseconds)
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

    @Test("finds sessions, keys and rows by an index")
    func plans() async throws {
        try await SQLiteBench.with { bench in
            let store = try bench.openSQLite()
            let connection = try Connection(bench.path, .read)
            func plan(_ statement: String) throws -> String {
                let rows = try connection.prepare("EXPLAIN QUERY PLAN " + statement)
                var lines: [String] = []
                while try rows.step() { lines.append(rows.text(3)) }
                return lines.joined(separator: "; ")
            }
            let expiry = "SELECT number FROM entities WHERE kind = 'session' AND used <= 1 ORDER BY used LIMIT 1"
            #expect(try plan(expiry) == "SEARCH entities USING INDEX entities_used (used<?)")
            #expect(
                try plan("SELECT rowid FROM keys WHERE ends <= 1 ORDER BY ends LIMIT 1")
                    == "SEARCH keys USING COVERING INDEX keys_ends (ends<?)")
            #expect(try plan("SELECT count(*) FROM keys WHERE entity = 1").contains("COVERING INDEX"))
            await store.closed()
        }
    }

    @Test("folds a group into one change of a row")
    func fold() async throws {
        try await SQLiteBench.with { bench in
            let file = DatabaseFile(bench.path)
            let settings = SQLiteStore.Settings(now: { .zero }, monotonic: { .zero })
            let connection = try file.open(.process)
            let health = StoreHealth(now: { .zero }, tell: { _ in })
            let transactions = try Transactions(connection, health, settings)
            var line = Line.session()
            _ = transactions.write(Group([.commit(line.begin(), { _ in })]))
            let writes = (0..<100).map { Write.commit(line.next("\($0)"), { _ in }) }
            let before = try connection.integer("SELECT total_changes()") ?? 0
            #expect(transactions.write(Group(writes)).map { "\($0)" } == ["stored"])
            #expect(try connection.integer("SELECT total_changes()") == before + 1)
        }
    }
}
