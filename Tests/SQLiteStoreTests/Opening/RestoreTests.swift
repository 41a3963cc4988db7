import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Restore")
struct RestoreTests {
    private let steps = Steps()

    /// A store that stands at seq 3, killed with its log beside it, and a backup of it at seq 1.
    private func withKilled(_ body: (Bench, String) async throws -> Void) async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open()
            let backup = bench.directory + "/backup.db"
            try await store.backup(to: backup)
            for seq in UInt64(1)...2 {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq + 1)", at: seq + 1)))
            }
            try await bench.crashed { crashed in
                try await body(crashed, crashed.directory + "/backup.db")
            }
            await store.close()
        }
    }

    /// Where the session stands in a store.
    private func seq(_ bench: Bench, at path: String? = nil) async throws -> UInt64? {
        let store = try SQLiteStore(path: path ?? bench.path, settings: bench.settings)
        let seq = try await store.load(steps.id)?.head.seq
        await store.close()
        return seq
    }

    @Test("puts a backup in the place of a store that was killed, and keeps that with its log")
    func killed() async throws {
        try await withKilled { bench, backup in
            let before = try bench.contents()
            let kept = try await SQLiteStore.restore(from: backup, to: bench.path)
            #expect(kept == bench.path + ".before-restore")
            let after = try bench.contents()
            #expect(after["bindery.db.before-restore"] == before["bindery.db"])
            #expect(after["bindery.db.before-restore-wal"] == before["bindery.db-wal"])
            #expect(after["bindery.db-wal"] == nil)
            #expect(after["backup.db"] == before["backup.db"])
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await seq(bench) == 1)
            #expect(try await seq(bench, at: kept) == 3)
        }
    }

    @Test("keeps every store from before under a name of its own")
    func again() async throws {
        try await withKilled { bench, backup in
            for place in [".before-restore", ".before-restore.2"] {
                let kept = try await SQLiteStore.restore(from: backup, to: bench.path)
                #expect(kept == bench.path + place)
            }
            // A log that lies there without its file is in the way too.
            try Data("mine".utf8).write(to: URL(fileURLWithPath: bench.path + ".before-restore.3-wal"))
            try Data("other".utf8).write(to: URL(fileURLWithPath: bench.path + "-wal"))
            let kept = try await SQLiteStore.restore(from: backup, to: bench.path)
            #expect(kept == bench.path + ".before-restore.4")
            #expect(try bench.contents()["bindery.db.before-restore.3-wal"] == Data("mine".utf8))
            #expect(try await seq(bench) == 1)
        }
    }

    @Test("puts a backup where no store is")
    func nothing() async throws {
        try await withKilled { bench, backup in
            let path = bench.directory + "/new.db"
            let kept = try await SQLiteStore.restore(from: backup, to: path)
            #expect(kept == nil)
            #expect(try await seq(bench, at: path) == 1)
        }
    }

    @Test("takes also a copy that was made by hand, with its log")
    func byHand() async throws {
        try await withKilled { bench, _ in
            let path = bench.directory + "/new.db"
            try await SQLiteStore.restore(from: bench.path, to: path)
            #expect(try await seq(bench, at: path) == 3)
            #expect(try await seq(bench) == 3)
        }
    }

    @Test("leaves a damaged store as it is, aside")
    func damagedStore() async throws {
        try await withKilled { bench, backup in
            try Data("diary".utf8).write(to: URL(fileURLWithPath: bench.path))
            let kept = try #require(try await SQLiteStore.restore(from: backup, to: bench.path))
            #expect(FileManager.default.contents(atPath: kept) == Data("diary".utf8))
            #expect(try await seq(bench) == 1)
        }
    }

    @Test("killed at any moment leaves the store from before or the backup, and never one beside the other's log")
    func everyMoment() async throws {
        try await withKilled { bench, backup in
            let moments = History<[String: Data]>()
            let onChange: @Sendable () -> Void = { if let files = try? bench.contents() { moments.note(files) } }
            let shm = bench.path + "-shm"
            try Data(repeating: 0, count: 32_768).write(to: URL(fileURLWithPath: shm))
            _ = try Restore(source: backup, target: bench.path, onChange: onChange).run()
            // Two changes of the draft, its naming, three files moved, the last name.
            #expect(moments.elements.count == 7)
            var seqs: [UInt64?] = []
            for files in moments.elements {
                try await withBench { moment in
                    for (name, bytes) in files {
                        try bytes.write(to: URL(fileURLWithPath: moment.directory + "/" + name))
                    }
                    let isUnfinished = Restore.isUnfinished(moment.path)
                    let copy = moment.directory + "/copy.db"
                    let complaint = await refusal { try await SQLiteStore.backup(from: moment.path, to: copy) }
                    #expect((complaint != nil) == isUnfinished)
                    seqs.append(try await seq(moment))
                    #expect((moment.told.first?.hasPrefix("store-restored ") == true) == isUnfinished)
                    // What was there before is somewhere, with its log.
                    let before = seqs.last == 3 ? moment.path : moment.path + ".before-restore"
                    #expect(try await seq(moment, at: before) == 3)
                }
                // Or it is repeated.
                try await withBench { moment in
                    for (name, bytes) in files {
                        try bytes.write(to: URL(fileURLWithPath: moment.directory + "/" + name))
                    }
                    try await SQLiteStore.restore(from: moment.directory + "/backup.db", to: moment.path)
                    #expect(try await seq(moment) == 1)
                    #expect(try await seq(moment, at: moment.path + ".before-restore") == 3)
                }
            }
            #expect(seqs == [3, 3, 1, 1, 1, 1, 1])
        }
    }

    @Test("a store that is open is left alone, in this process or another")
    func inUse() async throws {
        try await withKilled { bench, backup in
            let store = try bench.open()
            #expect(await code { try await SQLiteStore.restore(from: backup, to: bench.path) } == .inUse)
            #expect(await code { try await SQLiteStore.restore(from: bench.path, to: bench.path) } == .exists)
            await store.close()
            let child = try Child(ofPackage: "store-child", "hold", bench.path)
            #expect(child.line() == "open")
            #expect(await code { try await SQLiteStore.restore(from: backup, to: bench.path) } == .inUse)
            child.kill()
            #expect(try await seq(bench) == 3)
        }
    }

    @Test("a backup that is missing, damaged, another program's or newer changes nothing")
    func badBackups() async throws {
        try await withKilled { bench, backup in
            let before = try bench.contents()
            let good = try #require(before["backup.db"])
            func expect(_ expected: SQLiteStoreError.Code, of bytes: Data?) async throws {
                unlink(backup)
                if let bytes { try bytes.write(to: URL(fileURLWithPath: backup)) }
                let refusal = await refusal { try await SQLiteStore.restore(from: backup, to: bench.path) }
                #expect(refusal?.code == expected)
                #expect(refusal?.description.contains(backup) == true)
                var after = try bench.contents()
                after["backup.db"] = good
                #expect(after == before)
            }
            try await expect(.missing, of: nil)
            try await expect(.notBindery, of: Data(String(repeating: "diary", count: 1000).utf8))
            try await expect(.notBindery, of: Data())
            try await expect(.damaged, of: good.prefix(3 * 4096))
            var overwritten = good
            overwritten.replaceSubrange(4 * 4096..<5 * 4096, with: Data(repeating: 0x5a, count: 4096))
            try await expect(.damaged, of: overwritten)
            var newer = good
            // What it is, and the earliest that can use it.
            (newer[63], newer[61]) = (UInt8(Schema.current.version + 1), UInt8(Schema.current.version + 1))
            try await expect(.newer, of: newer)
            try await SQLiteStore.restore(from: bench.directory + "/bindery.db", to: bench.directory + "/other.db")
        }
    }

    @Test("of an earlier Bindery's backup gives a store, which is led to this schema when it is opened")
    func earlier() async throws {
        try await withBench { bench in
            let fixture = try #require(Bundle.module.url(forResource: "Fixtures/version-1", withExtension: "sql"))
            let backup = bench.directory + "/backup.db"
            try bench.connection(to: backup).execute(String(contentsOf: fixture, encoding: .utf8))
            try await SQLiteStore.restore(from: backup, to: bench.path)
            let store = try bench.open()
            #expect(store.count() == 2)
            await store.close()
        }
    }

    @Test("where there is no room, nothing is changed", .enabled(if: Mount.isPossible, Mount.reason))
    func fullDisk() async throws {
        try await withKilled { bench, backup in
            try await Mount.withFileSystem(of: "64k") { mount in
                let path = mount.directory + "/bindery.db"
                try Data("diary".utf8).write(to: URL(fileURLWithPath: path))
                _ = try mount.fill()
                #expect(await code { try await SQLiteStore.restore(from: backup, to: path) } == .inaccessible)
                let names = try FileManager.default.contentsOfDirectory(atPath: mount.directory)
                #expect(names.filter { $0.hasPrefix("bindery.db") && !$0.hasSuffix("-lock") } == ["bindery.db"])
            }
        }
    }

    private func code(_ body: () async throws -> Void) async -> SQLiteStoreError.Code? { await refusal(body)?.code }
}
