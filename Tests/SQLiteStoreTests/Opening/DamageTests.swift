import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Damage and unclean ends")
struct DamageTests {
    private let steps = Steps()

    @Test("a file with overwritten pages is refused, told what to do, and left as it is")
    func overwritten() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 2 * 4096)
            let before = try bench.contents()
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.code == .damaged)
            #expect(refusal?.description.contains("Restore a backup") == true)
            #expect(refusal?.description.contains("\n") == false)
            #expect(try bench.contents()["bindery.db"] == before["bindery.db"])
        }
    }

    @Test("a large file is checked where the last store was not closed, and only there")
    func large() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 5 * 4096)
            let store = try bench.open { $0.checkedSize = 0 }
            try await store.commit(Steps().creation())
            try await bench.crashed { copy in
                #expect(await refusal { _ = try copy.open { $0.checkedSize = 0 } }?.code == .damaged)
            }
            await store.close()
        }
    }

    @Test("a file that was cut off is refused")
    func cutOff() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            truncate(bench.path, 3 * 4096 + 100)
            #expect(await refusal { _ = try bench.open() }?.code == .damaged)
        }
    }

    @Test("damage that shows only when it is read makes that session unreadable, and is told")
    func found() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 5 * 4096)
            let store = try bench.open { $0.checkedSize = 0 }
            await #expect(throws: StoreFailure.unreadable("database disk image is malformed")) {
                _ = try await store.load(steps.id)
            }
            #expect(
                await eventually { bench.told == ["store-lost \(bench.path) read database disk image is malformed"] })
            await store.close()
        }
    }

    @Test("after a crash everything acknowledged is there, out of the log", arguments: SQLiteStore.Durability.allCases)
    func crashed(durability: SQLiteStore.Durability) async throws {
        try await withBench { bench in
            let store = try bench.open { $0.durability = durability }
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            let record = try await store.load(steps.id)
            try await bench.crashed { copy in
                let again = try copy.open()
                #expect(try await again.load(steps.id) == record)
                #expect(again.count() == 1)
                await again.close()
                #expect(try copy.contents().keys.sorted() == ["bindery.db"])
            }
            await store.close()
        }
    }

    @Test("a log that was cut off loses what was cut, and no more")
    func cutLog() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await store.commit(steps.creation())
            let end = try #require(try bench.contents()["bindery.db-wal"]).count
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await bench.crashed { copy in
                truncate(copy.path + "-wal", off_t(end + 1000))
                let again = try copy.open()
                #expect(try await again.load(steps.id)?.head.seq == 0)
                try await again.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
                await again.close()
            }
            await store.close()
        }
    }

    @Test("a log whose end was overwritten loses its last transaction, and no more")
    func overwrittenLog() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await store.commit(steps.creation())
            let end = try #require(try bench.contents()["bindery.db-wal"]).count
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await bench.crashed { copy in
                try copy.write(Array(repeating: 0x5a, count: 512), at: UInt64(end + 200), in: copy.path + "-wal")
                let again = try copy.open()
                #expect(try await again.load(steps.id)?.head.seq == 0)
                await again.close()
            }
            await store.close()
        }
    }
}
