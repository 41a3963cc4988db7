import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Space that is no longer used")
struct SpaceTests {
    private let end = TimeOfDay(secondsSince1970: StoppedClock().now.secondsSince1970 + 100)

    private func makeSessions(_ count: Int, in store: SQLiteStore) async throws {
        for _ in 0..<count {
            let steps = Steps()
            try await store.commit(steps.creation(end: end))
            let record = ViewModelRecord("large", String(repeating: "x", count: 3000), at: 1)
            try await store.commit(steps.step(from: 0, record, end: end))
        }
    }

    private func endSessions(in store: SQLiteStore) async throws {
        while try await store.deleteEnded(by: end, limit: 20).count == 20 {}
    }

    private func size(_ bench: Bench) throws -> Int { try #require(try bench.contents()["bindery.db"]).count }

    @Test("is given back, a few pages a transaction, while the store goes on")
    func givenBack() async throws {
        try await withBench { bench in
            let first = try bench.open { $0.durability = .process }
            try await makeSessions(200, in: first)
            await first.close()
            #expect(try size(bench) > 200 * 3000)
            let store = try bench.open {
                $0.durability = .process
                $0.keptPages = 16
                $0.givenPages = 8
                // Never copied for its length.
                $0.checkpointPages = 1 << 20
            }
            let steps = Steps()
            try await store.commit(steps.creation())
            try await endSessions(in: store)
            let hasShrunk = try await eventually {
                // As the registry does now and then: the log is copied behind a transaction.
                _ = try await store.deleteEnded(by: bench.timeOfDay.now, limit: 1)
                return try size(bench) < 32 * 4096
            }
            #expect(hasShrunk)
            try await store.commit(steps.step(from: 0))
            await store.close()
            let again = try bench.open()
            #expect(try await again.load(steps.id)?.head.seq == 1)
            await again.close()
        }
    }

    @Test("is kept for the sessions to come where it is little")
    func kept() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.durability = .process }
            try await makeSessions(100, in: store)
            try await endSessions(in: store)
            await store.close()
            #expect(try size(bench) > 100 * 3000)
            let free = try bench.connection().integer("PRAGMA freelist_count")
            #expect(try #require(free) > 50)
        }
    }

    @Test("stays in a file that an earlier Bindery made, until that was restored from a backup")
    func earlier() async throws {
        try await withBench { bench in
            let fixture = try #require(Bundle.module.url(forResource: "Fixtures/version-2", withExtension: "sql"))
            try bench.connection().execute(String(contentsOf: fixture, encoding: .utf8))
            let change: (inout Settings) -> Void = { ($0.durability, $0.keptPages) = (.process, 16) }
            let store = try bench.open(change)
            try await makeSessions(100, in: store)
            try await endSessions(in: store)
            await store.close()
            let before = try size(bench)
            #expect(before > 100 * 3000)
            let copy = bench.directory + "/copy.db"
            try await SQLiteStore.backup(from: bench.path, to: copy)
            try await SQLiteStore.restore(from: copy, to: bench.path)
            #expect(try size(bench) < before / 4)
            let restored = try bench.open(change)
            #expect(restored.count() == 2)
            try await makeSessions(100, in: restored)
            try await endSessions(in: restored)
            await restored.close()
            #expect(try size(bench) < before / 4)
        }
    }

    @Test("a file that was only just begun when its process was killed is made anew")
    func begun() async throws {
        try await withBench { bench in
            let broken = Schema(migrations: [Migration(version: 1, statements: "ALTER TABLE nowhere ADD COLUMN a")])
            #expect(await refusal { _ = try bench.open { $0.schema = broken } } != nil)
            #expect(try size(bench) == 0)
            let store = try bench.open()
            await store.close()
            #expect(try bench.connection().integer("PRAGMA auto_vacuum") == 2)
        }
    }

    @Test("where files may be no larger, the log is copied and written over, and commits go on")
    func largestFile() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var most = rlimit(rlim_cur: 400 * 1024, rlim_max: 400 * 1024)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &most)
            try await withBench { bench in
                let store = try bench.open()
                let steps = Steps()
                try await store.commit(steps.creation())
                var (seq, failures) = (UInt64(0), 0)
                while seq < 300, failures < 20 {
                    do {
                        try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1)))
                        seq += 1
                    } catch {
                        failures += 1
                    }
                }
                precondition(seq == 300 && failures > 0)
                await store.close()
            }
        }
    }
}
