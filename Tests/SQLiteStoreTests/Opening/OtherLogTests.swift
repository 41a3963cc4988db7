import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("A file and the log beside it")
struct OtherLogTests {
    private let steps = Steps()

    /// Commits, so that the log is copied and begun anew a few times.
    private func commit(_ store: SQLiteStore, from first: UInt64, to last: UInt64) async throws {
        for seq in first..<last {
            let text = String(repeating: "\(seq + 1) ", count: 500)
            try await store.commit(steps.step(from: seq, ViewModelRecord("counter", text, at: seq + 1)))
        }
    }

    /// Leaves the store's files as they are, puts another file in the place of its own, and expects that to be refused.
    private func expectRefused(_ copy: String, beside bench: Bench) async throws {
        try await bench.crashed { crashed in
            let file = try Data(contentsOf: URL(fileURLWithPath: copy))
            try file.write(to: URL(fileURLWithPath: crashed.path))
            let before = try crashed.contents()
            #expect(before["bindery.db-wal"]?.isEmpty == false)
            let refusal = await refusal { _ = try crashed.open() }
            #expect(refusal?.code == .otherLog)
            #expect(refusal?.description.contains("bindery restore") == true)
            // Nor is such a pair copied, checked or restored.
            for target in ["copied.db", "restored.db"] {
                let path = crashed.directory + "/" + target
                let told = await SQLiteStoreTests.refusal {
                    if target == "copied.db" { try await SQLiteStore.backup(from: crashed.path, to: path) }
                    _ = try await SQLiteStore.restore(from: crashed.path, to: path)
                }
                #expect(told?.code == .otherLog)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            #expect(
                await SQLiteStoreTests.refusal { _ = try await SQLiteStore.check(crashed.path, for: []) }?.code
                    == .otherLog)
            let after = try crashed.contents()
            for name in ["bindery.db", "bindery.db-wal"] { #expect(after[name] == before[name]) }
            // As the refusal says: without the log it is a store.
            unlink(crashed.path + "-wal")
            unlink(crashed.path + "-shm")
            let store = try crashed.open()
            #expect(try await store.load(steps.id) != nil)
            await store.close()
        }
    }

    @Test("a backup beside the log of the store that it was made of is refused", arguments: [1, 100] as [UInt64])
    func backup(commits: UInt64) async throws {
        try await withBench { bench in
            let store = try bench.open { $0.checkpointPages = 20 }
            try await store.commit(steps.creation())
            let copy = bench.directory + "/copy.db"
            try await store.backup(to: copy)
            try await commit(store, from: 0, to: commits)
            try await expectRefused(copy, beside: bench)
            await store.close()
        }
    }

    @Test("a file that was copied by hand before the store was opened is refused", arguments: [1, 100] as [UInt64])
    func stopped(commits: UInt64) async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let copy = bench.directory + "/copy.db"
            try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
            let store = try bench.open { $0.checkpointPages = 20 }
            try await commit(store, from: 1, to: 1 + commits)
            try await expectRefused(copy, beside: bench)
            await store.close()
        }
    }

    @Test(
        "a file that was copied by hand from an open store is refused once the log has been begun anew",
        arguments: SQLiteStore.Durability.allCases)
    func running(durability: SQLiteStore.Durability) async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let store = try bench.open {
                $0.checkpointPages = 20
                $0.durability = durability
            }
            try await commit(store, from: 1, to: 2)
            let copy = bench.directory + "/copy.db"
            try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
            var seq: UInt64 = 2
            func beginnings() throws -> UInt8 { try #require(try bench.contents()["bindery.db-wal"]?[15]) }
            let first = try beginnings()
            while try beginnings() <= first + 1 {
                try await commit(store, from: seq, to: seq + 1)
                seq += 1
            }
            try await expectRefused(copy, beside: bench)
            await store.close()
        }
    }

    @Test("a file that was copied by hand, and is still what the log was written on, is served as it was acknowledged")
    func same() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await store.commit(steps.creation())
            let copy = try Data(contentsOf: URL(fileURLWithPath: bench.path))
            try await commit(store, from: 0, to: 5)
            try await bench.crashed { crashed in
                try copy.write(to: URL(fileURLWithPath: crashed.path))
                let store = try crashed.open()
                #expect(try await store.load(steps.id)?.head.seq == 5)
                await store.close()
            }
            await store.close()
        }
    }

    @Test("a file without a mark, of an earlier Bindery, beside a later log is refused; beside its own it is served")
    func earlier() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            try bench.connection().execute("DROP TABLE log_mark; PRAGMA wal_checkpoint(TRUNCATE)")
            let copy = bench.directory + "/copy.db"
            try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
            // An earlier Bindery's log, which knows of no mark either.
            try bench.connection().execute("UPDATE sessions SET language = 'en'")
            try await bench.crashed { crashed in
                let store = try crashed.open()
                #expect(try await store.load(steps.id)?.language == .english)
                await store.close()
            }
            let store = try bench.open()
            // Nothing that makes the file grow, and so writes its first page.
            try await store.commit(steps.step(from: 1))
            try await expectRefused(copy, beside: bench)
            await store.close()
        }
    }

    @Test("a log that another thread has copied is begun anew only by a transaction that says to which file it belongs")
    func copied() async throws {
        try await withBench { bench in
            let store = try bench.open {
                $0.checkpointPages = 6
                $0.durability = .process
            }
            try await store.commit(steps.creation())
            func beginnings() throws -> UInt8 { try #require(try bench.contents()["bindery.db-wal"]?[15]) }
            func mark() throws -> String? {
                try Connection(path: bench.path, .read, patience: 1000).text("SELECT hex(current) FROM log_mark")
            }
            var (beginning, before, seq) = (try beginnings(), try mark(), UInt64(0))
            let isBegunAnew = try await eventually {
                for _ in 0..<20 {
                    try await commit(store, from: seq, to: seq + 1)
                    seq += 1
                    let (now, after) = (try beginnings(), try mark())
                    #expect(now == beginning || after != before)
                    (beginning, before) = (now, after)
                }
                return beginning > 10
            }
            #expect(isBegunAnew)
            await store.close()
        }
    }

    @Test("a crash at any moment leaves a file that its own log goes with", arguments: SQLiteStore.Durability.allCases)
    func everyMoment(durability: SQLiteStore.Durability) async throws {
        try await withBench { bench in
            var seq: UInt64 = 0
            for _ in 0..<3 {
                let store = try bench.open {
                    $0.checkpointPages = 5
                    $0.durability = durability
                }
                if seq == 0 { try await store.commit(steps.creation()) }
                for _ in 0..<12 {
                    try await commit(store, from: seq, to: seq + 1)
                    seq += 1
                    try await expectServed(bench, at: seq)
                }
                await store.close()
            }
        }
    }

    @Test("a reader that holds on to the log while it is copied does not part it from its file")
    func heldLog() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let reader = try Connection(path: bench.path, .read, patience: 0)
            try reader.execute("BEGIN; SELECT * FROM sessions")
            let store = try bench.open { $0.checkpointPages = 5 }
            for seq in UInt64(1)..<30 {
                try await commit(store, from: seq, to: seq + 1)
                try await expectServed(bench, at: seq + 1)
                if seq % 7 == 0 { try reader.execute("COMMIT; BEGIN; SELECT * FROM sessions") }
            }
            try reader.execute("COMMIT")
            await store.close()
        }
    }

    private func expectServed(_ bench: Bench, at seq: UInt64) async throws {
        try await bench.crashed { crashed in
            let store = try crashed.open()
            #expect(try await store.load(steps.id)?.head.seq == seq)
            // And once more, as after a crash while it was being opened.
            try await crashed.crashed { again in
                let store = try again.open()
                #expect(try await store.load(steps.id)?.head.seq == seq)
                await store.close()
            }
            await store.close()
        }
    }
}
