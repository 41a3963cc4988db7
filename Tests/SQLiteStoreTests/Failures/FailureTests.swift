import Foundation
import Samples
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The file cannot be written")
struct FailureTests {
    private let steps = Steps()

    @Test("another program's lock: commits fail, reads go on, and it mends itself when the lock goes")
    func locked() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open { $0.bounds.calm = .zero }
            let other = try bench.connection()
            try other.execute("BEGIN IMMEDIATE")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 1)) }
            await #expect(throws: StoreFailure.notSent) { try await store.delete(steps.id, at: steps.version(1)) }
            await #expect(throws: StoreFailure.notSent) { try await store.touch([steps.id: bench.timeOfDay.now]) }
            await #expect(throws: StoreFailure.notSent) {
                _ = try await store.deleteEnded(by: bench.timeOfDay.now, limit: 1)
            }
            #expect(await !store.isReady())
            #expect(try await store.load(steps.id)?.head.seq == 1)
            #expect(store.count() == 1)
            try other.execute("ROLLBACK")
            #expect(await store.isReady())
            try await store.commit(steps.step(from: 1))
            #expect(try await store.load(steps.id)?.head.seq == 2)
            #expect(
                bench.told == [
                    "store-lost \(bench.path) write database is locked", "store-back \(bench.path) write 5",
                ])
            await store.close()
        }
    }

    @Test("a lock that goes within the store's patience is waited for")
    func patience() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open { $0.patience = 60_000 }
            let other = try bench.connection()
            try other.execute("BEGIN IMMEDIATE")
            async let commit: Void = store.commit(steps.step(from: 1))
            #expect(try await store.load(steps.id)?.head.seq == 1)
            try other.execute("ROLLBACK")
            try await commit
            await store.close()
        }
    }

    @Test("a disk that hangs is told of while it does, is not ready, and is told of when it is back")
    func hung() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open {
                $0.patience = 60_000
                $0.bounds.hang = .milliseconds(50)
                $0.bounds.calm = .zero
                $0.lookInterval = .milliseconds(10)
            }
            func value(_ name: String) -> Double? { store.measures.first { $0.name == name }?.samples[0].value }
            #expect(value("bindery_store_up") == 1)
            #expect(value("bindery_store_oldest_group_seconds") == 0)
            let other = try bench.connection()
            try other.execute("BEGIN IMMEDIATE")
            async let commit: Void = store.commit(steps.step(from: 1))
            #expect(await eventually { !bench.told.isEmpty })
            #expect(
                bench.told == ["store-lost \(bench.path) write a group of commits has been under way for 0 s"])
            #expect(value("bindery_store_up") == 0)
            #expect(try #require(value("bindery_store_oldest_group_seconds")) >= 0.05)
            #expect(await !store.isReady())
            try other.execute("ROLLBACK")
            try await commit
            #expect(await eventually { bench.told.count == 2 })
            #expect(bench.told.last == "store-back \(bench.path) write 1")
            let back = try #require(bench.log.named("store-back").first)
            if case .number(let time)? = back["milliseconds"] { #expect(time >= 50) }
            #expect(value("bindery_store_up") == 1)
            await store.close()
        }
    }

    @Test("what does not say whether it can be written is not ready")
    func silent() async throws {
        try await withBench { bench in
            let store = try bench.open {
                $0.patience = 60_000
                $0.readinessTimeout = .milliseconds(10)
            }
            let other = try bench.connection()
            try other.execute("BEGIN IMMEDIATE")
            #expect(await eventually { await !store.isReady() })
            try other.execute("ROLLBACK")
            await store.close()
        }
    }

    @Test("a file that has no room left fails the whole group, and keeps what it had")
    func full() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open {
                $0.maximumPages = 16
                $0.bounds.calm = .zero
            }
            let large = ViewModelRecord("large", String(repeating: "x", count: 100_000), at: 2)
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 1, large)) }
            #expect(try await store.load(steps.id)?.head.seq == 1)
            // What fits is stored, on the same base: the failed step left nothing behind.
            try await store.commit(steps.step(from: 1, ViewModelRecord("counter", "2", at: 2)))
            #expect(try await store.load(steps.id)?.viewModels["large"] == nil)
            #expect(
                bench.told == [
                    "store-lost \(bench.path) write database or disk is full", "store-back \(bench.path) write 1",
                ])
            await store.close()
        }
    }

    @Test("one piece of work that cannot be stored fails those of its group, which are as they were")
    func group() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let other = Steps()
            let store = try bench.open {
                $0.maximumPages = 16
                $0.patience = 60_000
            }
            let lock = try bench.connection()
            try lock.execute("BEGIN IMMEDIATE")
            // While the lock is held, all of these gather before the writer.
            let large = ViewModelRecord("large", String(repeating: "x", count: 100_000), at: 2)
            let failures = History<StoreFailure?>()
            store.submit(steps.step(from: 1, large)) { failures.note($0) }
            store.submit(other.creation()) { failures.note($0) }
            store.submit(steps.step(from: 7)) { failures.note($0) }
            try lock.execute("ROLLBACK")
            #expect(await eventually { failures.elements.count == 3 })
            #expect(failures.elements.first == .notSent)
            #expect(try await store.load(steps.id)?.head.seq == 1)
            #expect(store.count() == (try await store.load(other.id) == nil ? 1 : 2))
            try await store.commit(steps.step(from: 1))
            await store.close()
        }
    }

    @Test("a file that was moved away takes no commit: nobody would find it again")
    func moved() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open()
            try FileManager.default.moveItem(atPath: bench.path, toPath: bench.path + ".old")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 1)) }
            #expect(await !store.isReady())
            try FileManager.default.moveItem(atPath: bench.path + ".old", toPath: bench.path)
            try await store.commit(steps.step(from: 1))
            #expect(
                bench.told.first
                    == "store-lost \(bench.path) write the file was moved or deleted while it was in use")
            await store.close()
        }
    }

    @Test("of a log that was deleted nothing is lost that was stored, and nothing more is stored in it")
    func logDeleted() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open()
            try await store.commit(steps.step(from: 1))
            // As a copy of the file alone would have it after a crash.
            try FileManager.default.removeItem(atPath: bench.path + "-wal")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 2)) }
            #expect(await eventually { bench.told.first?.contains("the log beside it was moved or deleted") == true })
            let copy = bench.directory + "/copy.db"
            try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
            let found = try SQLiteStore(path: copy)
            #expect(try await found.load(steps.id)?.head.seq == 2)
            await found.close()
            await store.close()
        }
    }

    @Test("of a log that was deleted while somebody reads the file, it is not said that it was copied before it was")
    func logDeletedUnderReader() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open()
            try await store.commit(steps.step(from: 1))
            let reader = try bench.connection()
            try reader.execute("BEGIN; SELECT count(*) FROM sessions")
            for seq in UInt64(2)..<6 {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1)))
            }
            try FileManager.default.removeItem(atPath: bench.path + "-wal")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 6)) }
            #expect(
                await eventually {
                    bench.told.last?.contains("cannot be copied into the file as long as somebody reads") == true
                })
            try reader.execute("COMMIT")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 6)) }
            #expect(await eventually { bench.told.last?.contains("what it held was copied into the file") == true })
            let copy = bench.directory + "/copy.db"
            try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
            let found = try SQLiteStore(path: copy)
            #expect(try await found.load(steps.id)?.head.seq == 6)
            await found.close()
            await store.close()
        }
    }

    @Test(
        "a disk that the log alone has filled has room again once the log is copied: commits fail, and go on",
        .enabled(if: Mount.isPossible, Mount.reason), arguments: SQLiteStore.Durability.allCases)
    func fullOfLog(durability: SQLiteStore.Durability) async throws {
        try await Mount.withFileSystem(of: "1m") { mount in
            let bench = Bench(directory: mount.directory)
            func step(from seq: UInt64) -> Commit {
                steps.step(
                    from: seq, ViewModelRecord("counter", String(repeating: "x", count: 400), at: seq + 1))
            }
            try await bench.prepare(steps)
            // As large as it stays: the file need not grow when the log is copied.
            let first = try bench.open()
            try await first.commit(step(from: 1))
            await first.close()

            let store = try bench.open { $0.durability = durability }
            var (seq, failures): (UInt64, Int) = (2, 0)
            while seq < 1000 {
                let isStored = await eventually {
                    do throws(StoreFailure) {
                        try await store.commit(step(from: seq))
                        return true
                    } catch {
                        failures += 1
                        return false
                    }
                }
                try #require(isStored, "after \(seq)")
                seq += 1
            }
            #expect(failures > 0)
            #expect(try await store.load(steps.id)?.head.seq == seq)
            await store.close()
            let again = try bench.open()
            #expect(try await again.load(steps.id)?.head.seq == seq)
            await again.close()
        }
    }

    @Test(
        "a full disk fails commits and readiness, loses nothing, and mends itself when there is room",
        .enabled(if: Mount.isPossible, Mount.reason), arguments: SQLiteStore.Durability.allCases)
    func fullDisk(durability: SQLiteStore.Durability) async throws {
        try await Mount.withFileSystem(of: "1m") { mount in
            let bench = Bench(directory: mount.directory)
            try await bench.prepare(steps)
            let store = try bench.open { $0.durability = durability }
            // The first one also renews the mark of the log; and the file has to grow by it, so that the log cannot be copied.
            let large = ViewModelRecord("large", String(repeating: "x", count: 40_000), at: 2)
            try await store.commit(steps.step(from: 1, large))
            let ballast = try mount.fill()
            var seq: UInt64 = 2
            var failure: StoreFailure?
            while failure == nil {
                do throws(StoreFailure) {
                    let text = String(repeating: "x", count: 4000)
                    try await store.commit(steps.step(from: seq, ViewModelRecord("counter", text, at: seq + 1)))
                    seq += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure == .unknown)
            for _ in 0..<3 { #expect(await !store.isReady()) }
            #expect(try await store.load(steps.id)?.head.seq == seq)
            unlink(ballast)
            #expect(await store.isReady())
            try await store.commit(steps.step(from: seq))
            await store.close()
            let again = try bench.open()
            #expect(try await again.load(steps.id)?.head.seq == seq + 1)
            await again.close()
        }
    }
}
