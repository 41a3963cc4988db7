import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Backup")
struct BackupTests {
    private let steps = Steps()

    @Test("a copy taken while commits go on is a store of its own, as the first was at one moment")
    func whileRunning() async throws {
        try await withBench { bench in
            let store = try bench.open()
            let target = bench.directory + "/copy.db"
            let sessions = (0..<50).map { _ in Steps() }
            for steps in sessions { try await store.commit(steps.creation()) }
            let isOver = Flag()
            async let commits: UInt64 = commit(to: store, until: isOver)
            try await store.backup(to: target)
            isOver.set()
            let last = try await commits
            #expect(try await store.load(steps.id)?.head.seq == last)
            await store.close()

            #expect(try bench.contents().keys.sorted() == ["bindery.db", "bindery.db-backup", "copy.db"])
            let copy = try SQLiteStore(path: target, settings: bench.settings)
            for steps in sessions { #expect(try await copy.load(steps.id)?.head.seq == 0) }
            if let record = try await copy.load(steps.id), record.head.seq > 0 {
                let counter = ViewModelRecord("counter", "\(record.head.seq)", at: record.head.seq)
                #expect(record.viewModels == ["counter": counter])
            }
            try await copy.commit(Steps().creation())
            await copy.close()
        }
    }

    @Test(
        "takes the place of what a backup left that was killed; of one that is at work, or of another's file, it does not"
    )
    func leftover() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let target = bench.directory + "/copy.db"
            func backup() async -> SQLiteStoreError.Code? {
                await refusal { try await SQLiteStore.backup(from: bench.path, to: target) }?.code
            }
            #expect(PrivateFile.create(target) == 0)
            #expect(await backup() == .exists)
            #expect(PrivateFile.create(target + "-partial") == 0)
            // No process that another test starts meanwhile is to have it, and with it the lock.
            let atWork = Glibc.open(target, O_RDWR | O_CLOEXEC)
            #expect(flock(atWork, LOCK_EX | LOCK_NB) == 0)
            #expect(await backup() == .exists)
            close(atWork)
            #expect(await backup() == nil)
            #expect(try bench.contents()["copy.db"]?.isEmpty == false)
            #expect(await backup() == .exists)
            #expect(try bench.contents()["copy.db-partial"] == nil)
        }
    }

    @Test("another process can copy a store that is open")
    func otherProcess() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            let target = bench.directory + "/copy.db"
            let child = try Child(ofPackage: "store-child", "backup", bench.path, target)
            #expect(child.lines() == [])
            #expect(child.wait() == 0)
            // And the store goes on as before.
            try await store.commit(steps.step(from: 1))
            await store.close()
            let copy = try SQLiteStore(path: target, settings: bench.settings)
            #expect(try await copy.load(steps.id)?.head.seq == 1)
            await copy.close()
        }
    }

    @Test("a store that is not open can be copied, and stays as it is")
    func closed() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let before = try bench.contents()["bindery.db"]
            let target = bench.directory + "/copy.db"
            try await SQLiteStore.backup(from: bench.path, to: target)
            #expect(try bench.contents()["bindery.db"] == before)
            let copy = try SQLiteStore(path: target, settings: bench.settings)
            #expect(try await copy.load(steps.id)?.head.seq == 1)
            await copy.close()
            let store = try bench.open()
            #expect(try await store.load(steps.id)?.head.seq == 1)
            await store.close()
        }
    }

    @Test("nothing is overwritten")
    func exists() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let target = bench.directory + "/copy.db"
            try Data("diary".utf8).write(to: URL(fileURLWithPath: target))
            let refusal = await refusal { try await SQLiteStore.backup(from: bench.path, to: target) }
            #expect(refusal?.code == .exists)
            #expect(refusal?.description == "\(target) is there already; a backup overwrites nothing.")
            #expect(try bench.contents()["copy.db"] == Data("diary".utf8))
            #expect(await refusalOfCopy(bench.path, bench.path) == .exists)
        }
    }

    @Test("what is not there, is not Bindery's, or cannot be written is named, and leaves nothing behind")
    func refused() async throws {
        try await withBench { bench in
            let target = bench.directory + "/copy.db"
            #expect(await refusalOfCopy(bench.path, target) == .missing)
            try Data(String(repeating: "diary", count: 1000).utf8).write(to: URL(fileURLWithPath: bench.path))
            #expect(await refusalOfCopy(bench.path, target) == .notBindery)
            #expect(try bench.contents().keys.sorted() == ["bindery.db"])
            unlink(bench.path)
            try await bench.prepare(steps)
            #expect(await refusalOfCopy(bench.path, bench.directory + "/none/copy.db") == .inaccessible)
        }
    }

    @Test("of a store that has a part alone there is no copy, and none takes the place of another")
    func part() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.purpose = .target }
            try await store.noteFilling(from: "elsewhere")
            await store.close()
            #expect(await refusalOfCopy(bench.path, bench.directory + "/copy.db") == .unfinished)
            let refusal = await refusal {
                try await SQLiteStore.restore(from: bench.path, to: bench.directory + "/other.db")
            }
            #expect(refusal?.description.contains("has a part of elsewhere alone") == true)
            #expect(try bench.contents().keys.allSatisfy { $0.hasPrefix("bindery.db") })
        }
    }

    @Test("a damaged store gives no copy")
    func damaged() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 4 * 4096)
            #expect(await refusalOfCopy(bench.path, bench.directory + "/copy.db") == .damaged)
            #expect(try bench.contents().keys.contains { $0.hasPrefix("copy") } == false)
        }
    }

    @Test("a full disk gives no copy and leaves nothing behind", .enabled(if: Mount.isPossible, Mount.reason))
    func fullDisk() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try await Mount.withFileSystem(of: "16k") { mount async throws in
                #expect(await refusalOfCopy(bench.path, mount.directory + "/copy.db") == .inaccessible)
                #expect(try FileManager.default.contentsOfDirectory(atPath: mount.directory) == [])
            }
        }
    }

    private func refusalOfCopy(_ source: String, _ target: String) async -> SQLiteStoreError.Code? {
        await refusal { try await SQLiteStore.backup(from: source, to: target) }?.code
    }

    /// Commits until it is told to stop.
    ///
    /// - Returns: the seq of the last commit.
    private func commit(to store: SQLiteStore, until isOver: Flag) async throws -> UInt64 {
        try await store.commit(steps.creation())
        var seq: UInt64 = 0
        repeat {
            try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq + 1)", at: seq + 1)))
            seq += 1
        } while !isOver.isSet
        return seq
    }
}
