import Foundation
import PostgresStore
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery check")
struct CheckTests {
    private func complaint(_ path: String) async throws -> String? { try await complaint(.sqlite(path: path)) }

    private func complaint(_ store: StoreChoice, schema: SchemaName = .standard) async throws -> String? {
        var options = try ProgramOptions(of: Bindery.self)
        (options.store, options.schema) = (store, schema)
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

    @Test("of a store in PostgreSQL says the same, of the schema that is named")
    func postgres() async throws {
        let server = try await PostgresServer.ready()
        let schema = try #require(SchemaName("check\(UInt32.random(in: 0...UInt32.max))"))
        let choice = StoreChoice.postgres(uri: server.uri())
        // As before the first deploy.
        #expect(try await complaint(choice, schema: schema) == nil)
        let store = try await onThread { try PostgresStore(uri: server.uri(), schema: schema) }
        let steps = Steps()
        try await store.commit(steps.creation())
        #expect(try await complaint(choice, schema: schema) == nil)
        let bad = ViewModelRecord(name: "profile", model: Array("[]".utf8), outputs: [])
        try await store.commit(steps.step(from: 0, bad))
        #expect(
            try await complaint(choice, schema: schema)
                == "1 of 1 models in \(choice.shown) cannot be read by this build")
        await store.close()
        try server.run("DROP SCHEMA \(schema.rawValue) CASCADE")
    }

    @Test("of a directory says that it is one")
    func directory() async throws {
        try await withTemporaryDirectory { directory in
            let error = await #expect(throws: SQLiteStoreError.self) { try await complaint(directory) }
            #expect(error?.description == "\(directory) cannot be opened: Is a directory. Name a file in it.")
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

    @Test("counts what this build reads, and what it leaves, in the number that they have")
    func numbers() {
        #expect(Command.readable(ModelCheck()) == "there are no models for this build to read")
        #expect(Command.readable(ModelCheck(models: 1)) == "this build reads the only model")
        #expect(Command.readable(ModelCheck(models: 2)) == "this build reads all 2 models")
    }

    @Test("ends well where there is nothing yet in a folder that is there, and only there")
    func nothingYet() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try await complaint(directory + "/bindery.db") == nil)
            #expect(!FileManager.default.fileExists(atPath: directory + "/bindery.db"))
            await #expect(throws: SQLiteStoreError.self) { try await complaint(directory + "/no/bindery.db") }
            // Of a store that lost its file to somebody, something is there still.
            try Data("log".utf8).write(to: URL(filePath: directory + "/bindery.db-wal"))
            await #expect(throws: SQLiteStoreError.self) { try await complaint(directory + "/bindery.db") }
        }
    }

    @Test("of a store in memory is a mistake")
    func memory() async throws {
        var options = try ProgramOptions(of: Bindery.self)
        options.store = .memory
        await #expect(throws: UsageError.self) { try await Command.check.run(options) }
    }
}
