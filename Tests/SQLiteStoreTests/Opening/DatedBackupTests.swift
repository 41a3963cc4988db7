import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Dated backups")
struct DatedBackupTests {
    private let day = 86_400 as Int64

    private func time(_ days: Int64) -> TimeOfDay { TimeOfDay(secondsSince1970: days * day + 3661) }

    private func copies(_ bench: Bench) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.directory + "/copies").sorted()
    }

    @Test("are named by their time; the oldest go, and nothing else does")
    func kept() async throws {
        try await withBench { bench in
            let directory = bench.directory + "/copies"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let others = ["bindery-20200101T000000Z.txt", "bindery-2020.db", "other-20200101T000000Z.db"]
            for name in others { #expect(PrivateFile.create("\(directory)/\(name)") == 0) }
            let store = try bench.open()
            try await store.commit(Steps().creation())
            var removed: [String] = []
            for days in [10, 9, 12, 11] as [Int64] {
                let result = try await SQLiteStore.backup(from: bench.path, into: directory, keeping: 2, at: time(days))
                #expect(FileManager.default.fileExists(atPath: result.copy))
                removed += result.removed.map { ($0 as NSString).lastPathComponent }
            }
            await store.close()
            #expect(removed == ["bindery-19700110T010101Z.db", "bindery-19700111T010101Z.db"])
            #expect(
                Set(try copies(bench))
                    == Set(others + ["bindery-19700112T010101Z.db", "bindery-19700113T010101Z.db"]))
            let copy = try SQLiteStore(path: directory + "/bindery-19700113T010101Z.db", settings: bench.settings)
            #expect(copy.count() == 1)
            await copy.close()
        }
    }

    @Test("a copy that cannot be made removes nothing")
    func failed() async throws {
        try await withBench { bench in
            let directory = bench.directory + "/copies"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            try await bench.prepare(Steps())
            for days in [10, 11] as [Int64] {
                try await SQLiteStore.backup(from: bench.path, into: directory, keeping: 2, at: time(days))
            }
            let before = try copies(bench)
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 5 * 4096)
            let refusal = await refusal {
                try await SQLiteStore.backup(from: bench.path, into: directory, keeping: 1, at: time(12))
            }
            #expect(refusal?.code == .damaged)
            #expect(try copies(bench) == before)
        }
    }

    @Test("tell the server that has the store open when it was copied last")
    func told() async throws {
        try await withBench { bench in
            let store = try bench.open()
            func shown() -> [Double] {
                store.measures.filter { $0.name == "bindery_last_backup_timestamp_seconds" }.flatMap {
                    $0.samples.map(\.value)
                }
            }
            #expect(shown() == [])
            let before = Date().timeIntervalSince1970.rounded(.down)
            try await store.backup(to: bench.directory + "/copy.db")
            let time = try #require(shown().first)
            #expect(time >= before && time <= Date().timeIntervalSince1970)
            await store.close()
        }
    }
}
