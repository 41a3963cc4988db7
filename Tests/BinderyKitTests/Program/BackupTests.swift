import Foundation
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery backup")
struct BackupTests {
    private func withStore(_ test: (_ directory: String, _ store: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/bindery.db"
            let store = try SQLiteStore(path: path)
            try await store.commit(Steps().creation())
            try await test(directory, "sqlite:" + path)
            await store.close()
        }
    }

    @Test("writes the file that is named, or a dated one into a directory", arguments: ["--keep=2", "--keep 2"])
    func writes(keep: String) async throws {
        try await withStore { directory, store in
            try await Bindery.run(["backup", directory + "/copy.db", "--store", store], [:])
            #expect(FileManager.default.fileExists(atPath: directory + "/copy.db"))
            let copies = directory + "/copies"
            try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
            try await Bindery.run(
                ["backup", copies] + keep.split(separator: " ").map(String.init), ["BINDERY_STORE": store])
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies).count == 1)
        }
    }

    @Test(
        "needs a file, or a directory and how many copies to keep",
        arguments: [
            [], [""], ["--keep", "2"], ["DIRECTORY"], ["DIRECTORY", "--keep"], ["DIRECTORY", "--keep", "0"],
            ["DIRECTORY", "--keep=many"], ["DIRECTORY/new.db", "--keep", "2"],
        ])
    func usage(arguments: [String]) async throws {
        try await withStore { directory, store in
            let arguments = arguments.map { $0.replacing("DIRECTORY", with: directory) }
            await #expect(throws: UsageError.self) {
                try await Bindery.run(["backup"] + arguments, ["BINDERY_STORE": store])
            }
        }
    }
}
