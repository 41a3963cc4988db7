import Entities
import Foundation
import StoreParts
import Testing

@testable import SQLiteStore

/// Protects stored sessions from a full disk, a moved file and a damaged row.
@Suite("When SQLite fails")
struct FailureTests {
    @Test("a store whose file is gone refuses, and goes on when the file is back")
    func moved() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            let store = try bench.openSQLite()
            _ = await line.commit("a", to: store)
            let kept = line
            try FileManager.default.moveItem(atPath: bench.path, toPath: bench.path + "-away")
            #expect(await line.commit("b", to: store) == ["refused"])
            #expect(await !store.isReady)
            try FileManager.default.moveItem(atPath: bench.path + "-away", toPath: bench.path)
            #expect(await store.isReady)
            line = kept
            #expect(await line.commit("c", to: store) == ["stored"])
            #expect(bench.told.count == 2)
            #expect(bench.told.first == .lost(reason: SQLiteFailure.moved.message))
            if case .back? = bench.told.last {} else { Issue.record("The store is not back.") }
            await store.closed()
        }
    }

    @Test(
        "a store on a full disk refuses, keeps what it has, and goes on when there is room",
        .enabled(if: Mount.isPossible))
    func full() async throws {
        try await Mount.with(bytes: 1 << 20) { mount in
            let bench = try SQLiteBench(in: mount.directory) { $0.durability = .power }
            var line = Line.session()
            let store = try bench.openSQLite()
            _ = await line.commit("a", to: store)
            let kept = line
            let ballast = try mount.fill()
            let text = String(repeating: "b", count: 100_000)
            #expect(await line.commit(text, "c", to: store) == ["refused", "conflict"])
            #expect(await store.row(of: line.id) == kept.row)
            try FileManager.default.removeItem(atPath: ballast)
            line = kept
            #expect(await line.commit(text, to: store) == ["stored"])
            #expect(await store.row(of: line.id) == line.row)
            guard case .lost? = bench.told.first, case .back? = bench.told.last else { throw Failed() }
            await store.closed()
        }
    }

    @Test("a row of another form fails to load, and the log is told")
    func unreadable() async throws {
        try await SQLiteBench.with { bench in
            var line = Line.session()
            try await bench.prepare(&line, "a")
            try Connection(bench.path, writes: true).execute("UPDATE entities SET parts = x'09'")
            let store = try bench.openSQLite()
            guard case .failed = await store.loaded(line.id) else { throw Failed() }
            #expect(bench.told == [.unreadable(line.id)])
            await store.closed()
            #expect(try SQLiteStore.check(bench.path) { _, _ in } == [line.id])
        }
    }
}
