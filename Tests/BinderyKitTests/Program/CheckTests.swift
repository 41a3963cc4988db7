import Foundation
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery check")
struct CheckTests {
    private func complaint(_ path: String) async throws -> String? {
        var options = try ProgramOptions(of: Bindery.self)
        options.store = .sqlite(path: path)
        do {
            try await Command.check.run(options)
            return nil
        } catch let failure as CommandFailure {
            return failure.description
        }
    }

    @Test("ends well where all stored models can be read, and with how many cannot")
    func complains() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/bindery.db"
            let store = try SQLiteStore(path: path)
            let steps = Steps()
            try await store.commit(steps.creation())
            let good = ViewModelRecord(name: "counter", model: Array("{}".utf8), outputs: [])
            try await store.commit(steps.step(from: 0, good))
            #expect(try await complaint(path) == nil)
            let bad = ViewModelRecord(name: "profile", model: Array("[]".utf8), outputs: [])
            try await store.commit(steps.step(from: 1, bad))
            #expect(try await complaint(path) == "1 of 2 models in \(path) cannot be read by this build")
            await store.close()
        }
    }

    @Test("of a damaged file ends badly, and says what to do")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/bindery.db"
            let store = try SQLiteStore(path: path)
            try await store.commit(Steps().creation())
            await store.close()
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 5 * 4096)
            try file.write(contentsOf: Data(repeating: 0x5a, count: 4096))
            try file.close()
            #expect(try await complaint(path)?.contains("is damaged; restore a backup: bindery restore") == true)
        }
    }

    @Test("of a store in memory is a mistake")
    func memory() async throws {
        var options = try ProgramOptions(of: Bindery.self)
        options.store = .memory
        await #expect(throws: UsageError.self) { try await Command.check.run(options) }
    }
}
