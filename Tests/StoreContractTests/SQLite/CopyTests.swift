import Entities
import Foundation
import Testing

@testable import SQLiteStore

/// Protects backup, restore and check: nothing is overwritten, and a backup is whole.
@Suite("A copy of a SQLite file")
struct CopyTests {
    @Test("is made while the store is open, is one file, and has what was stored")
    func backup() async throws {
        try await SQLiteBench.with { bench in
            let store = try bench.openSQLite()
            var line = Line.session()
            _ = await line.commit("a", to: store)
            _ = await store.stored(line.next("b", key: .named("key")))
            let copy = try SQLiteBench(in: bench.directory + "/copy")
            try SQLiteStore.backup(bench.path, to: copy.path)
            #expect(try copy.names() == ["bindery.db"])
            let kept = line.row
            #expect(await line.commit("c", to: store) == ["stored"])
            await store.closed()
            let other = try copy.openSQLite()
            #expect(await other.row(of: line.id) == kept)
            #expect(await other.key("key", in: line.id).hasPrefix("200"))
            await other.closed()
        }
    }

    @Test("overwrites nothing, and leaves nothing where it fails")
    func refused() async throws {
        try await SQLiteBench.with { bench in
            expect(.missing) { try SQLiteStore.backup(bench.path, to: bench.path + ".copy") }
            var line = Line.session()
            try await bench.prepare(&line, "a")
            try Data().write(to: URL(fileURLWithPath: bench.path + ".copy"))
            expect(.exists) { try SQLiteStore.backup(bench.path, to: bench.path + ".copy") }
            let nowhere = bench.directory + "/nowhere/copy"
            expect(.missing) { try SQLiteStore.backup(bench.path, to: nowhere) }
            #expect(try bench.names().filter { $0.hasPrefix("bindery.db.") } == ["bindery.db.copy"])
        }
    }

    @Test("of a damaged file is refused")
    func damaged() async throws {
        try await SQLiteBench.with { bench in
            try await bench.damage()
            expect(.damaged) { try SQLiteStore.backup(bench.path, to: bench.path + ".copy") }
            expect(.damaged) { _ = try SQLiteStore.check(bench.path) { _, _ in } }
        }
    }

    @Test("is restored in the place of the store, which is kept")
    func restore() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            try await bench.prepare(&line, "a")
            let (copied, copy) = (line.row, bench.path + ".copy")
            try SQLiteStore.backup(bench.path, to: copy)
            try await bench.prepare(&line, "b")
            let kept = try SQLiteStore.restore(from: copy, to: bench.path)
            #expect(kept == bench.path + ".before-restore")
            var rows: [StoredEntity] = []
            #expect(try SQLiteStore.check(try #require(kept)) { row, _ in rows.append(row) } == [])
            #expect(rows == [line.row])
            let store = try bench.openSQLite()
            #expect(await store.row(of: line.id) == copied)
            await store.closed()
            #expect(try SQLiteStore.restore(from: copy, to: bench.path) == bench.path + ".before-restore-2")
        }
    }

    @Test("is restored over a damaged store, which is moved aside")
    func restoreDamaged() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            let other = try SQLiteBench(in: bench.directory + "/other")
            try await other.prepare(&line, "a")
            try await bench.damage()
            let size = DatabaseFile(bench.path).size
            let kept = try SQLiteStore.restore(from: other.path, to: bench.path)
            #expect(DatabaseFile(try #require(kept)).size == size)
            let store = try bench.openSQLite()
            #expect(await store.row(of: line.id) == line.row)
            await store.closed()
        }
    }

    @Test("is restored over no open store, no file of another program, and not from a damaged backup")
    func notRestored() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            try await bench.prepare(&line, "a")
            let copy = bench.path + ".copy"
            try SQLiteStore.backup(bench.path, to: copy)
            let store = try bench.openSQLite()
            expect(.inUse) { _ = try SQLiteStore.restore(from: copy, to: bench.path) }
            await store.closed()
            expect(.exists) { _ = try SQLiteStore.restore(from: bench.path, to: bench.path) }
            let diary = bench.directory + "/diary"
            try Data("Dear diary".utf8).write(to: URL(fileURLWithPath: diary))
            expect(.notBindery) { _ = try SQLiteStore.restore(from: copy, to: diary) }
            expect(.notBindery) { _ = try SQLiteStore.restore(from: diary, to: bench.path) }
            #expect(try String(contentsOfFile: diary, encoding: .utf8) == "Dear diary")
        }
    }

    @Test(
        "is checked and copied on a read-only file system, and a store there is refused",
        .enabled(if: Mount.isPossible))
    func readOnly() async throws {
        try await Mount.with(bytes: 4 << 20) { mount in
            let bench = try SQLiteBench(in: mount.directory)
            var line = Line.session()
            try await bench.prepare(&line, "a")
            let backup = bench.path + ".copy"
            try SQLiteStore.backup(bench.path, to: backup)
            try await mount.makeReadOnly()
            try await SQLiteBench.with { copy in
                try SQLiteStore.backup(backup, to: copy.path)
                var rows: [StoredEntity] = []
                #expect(try SQLiteStore.check(backup) { row, _ in rows.append(row) } == [])
                #expect(rows == [line.row])
                let refused = refusal { _ = try bench.openSQLite() }
                #expect(refused?.code == .inaccessible)
                #expect(refused?.description.contains("Read-only file system") == true)
            }
        }
    }
}

extension SQLiteBench {
    /// Makes a store with many rows, and overwrites pages in the middle of its file.
    func damage() async throws {
        let store = try openSQLite()
        let commits = (0..<200).map { number in
            var line = Line.session("session \(number) " + String(repeating: "a", count: 1_000))
            return line.begin()
        }
        _ = await store.stored(commits)
        await store.closed()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 3 * 4_096)
        try file.write(contentsOf: Data(repeating: 0x5a, count: 20 * 4_096))
        try file.close()
    }
}
