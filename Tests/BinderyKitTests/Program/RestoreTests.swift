import Foundation
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery restore")
struct RestoreTests {
    @Test("puts a backup where the store is that the options name")
    func restores() async throws {
        try await withTemporaryDirectory { directory in
            let (path, backup) = (directory + "/bindery.db", directory + "/backup.db")
            let store = try SQLiteStore(path: path)
            try await store.commit(Steps().creation())
            try await store.backup(to: backup)
            try await store.commit(Steps().creation())
            await #expect(throws: SQLiteStoreError.self) {
                try await Bindery.run(["restore", backup, "--store", "sqlite:\(path)"], [:])
            }
            await store.close()
            try await Bindery.run(["restore", backup], ["BINDERY_STORE": "sqlite:\(path)"])
            let restored = try SQLiteStore(path: path)
            #expect(restored.count() == 1)
            await restored.close()
            #expect(FileManager.default.fileExists(atPath: path + ".before-restore"))
        }
    }

    @Test(
        "needs a backup and a file",
        arguments: [[], [""], ["--store", "sqlite:a.db"], ["backup.db", "--store", "memory"]])
    func usage(arguments: [String]) async {
        await #expect(throws: UsageError.self) { try await Bindery.run(["restore"] + arguments, [:]) }
    }
}
