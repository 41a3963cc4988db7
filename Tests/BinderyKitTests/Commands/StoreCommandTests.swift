import Entities
import Foundation
import SQLiteStore
import Service
import TestSupport
import Testing
import ViewModels

@testable import BinderyKit
@testable import bindery

/// Protects stored sessions in backup, restore, check and copy.
@Suite("The commands over stores")
struct StoreCommandTests {
    /// A session in a store, as a server stores it.
    private struct Sample {
        let id = SessionToken.random().entityID
        var parts = [StoredPart(name: "counter", version: 1, state: Array(#"{"count":3}"#.utf8), stamp: .none.next())]
        var keys: [StoredKey] = []

        /// Writes it into a file, or another store.
        func write(to store: Store) async throws {
            let opened = try await onThread { try store.open(nil) }
            let kinds = try CatalogueHost.kinds(of: Catalogue(Bindery.viewModels), languages: Bindery.languages)
            let head = Stamp.none.next()
            let entity = StoredEntity(id: id, head: head, ring: [head], language: "ja", parts: parts)
            let state = EntityState(entity, of: kinds.session)
            for (place, key) in (keys.isEmpty ? [nil] : keys.map { $0 }).enumerated() {
                let commit = Commit(id: id, base: place == 0 ? nil : head, state: state, key: key)
                let result = await withCheckedContinuation { done in
                    opened.submit(commit) { done.resume(returning: $0) }
                }
                guard case .stored = result else { throw CommandFailure("the store did not take the sample") }
            }
            await withCheckedContinuation { done in opened.close { done.resume() } }
        }
    }

    private static func key(_ byte: UInt8, window: Duration = .seconds(600)) -> StoredKey {
        StoredKey(
            digest: KeyDigest(Array(repeating: byte, count: 32)), request: [byte],
            remembered: Remembered(status: 200, body: Array("{}".utf8), etag: "1.x"), window: window)
    }

    private func rows(_ store: Store) throws -> [(StoredEntity, [StoredKey])] {
        var rows: [(StoredEntity, [StoredKey])] = []
        #expect(try store.read { rows.append(($0, $1)) } == [])
        return rows
    }

    private func bindery(_ words: String...) async -> String? {
        await complaint { try await Bindery.run(words, [:]) }
    }

    @Test("backup writes a new file, and restore puts it back and keeps what was there")
    func backup() async throws {
        try await withTemporaryDirectory { directory in
            let store = Store.sqlite(directory + "/bindery.db")
            let sample = Sample()
            try await sample.write(to: store)
            #expect(await bindery("backup", directory + "/copy.db", "--store", store.shown) == nil)
            #expect(await bindery("backup", directory + "/copy.db", "--store", store.shown)?.contains("exists") == true)
            try await Sample().write(to: store)
            #expect(await bindery("restore", directory + "/copy.db", "--store", store.shown) == nil)
            #expect(try rows(store).map(\.0.id) == [sample.id])
            #expect(try rows(.sqlite(directory + "/bindery.db.before-restore")).count == 2)
        }
    }

    @Test("backup and restore are for files alone", arguments: ["memory", "postgres://h/d"])
    func files(store: String) async {
        for command in ["backup", "restore"] {
            #expect(
                await bindery(command, "x", "--store", store)?.contains("name a file with --store sqlite:PATH") == true)
        }
    }

    @Test("check ends well where this build reads everything, and where there is no store yet")
    func sound() async throws {
        try await withTemporaryDirectory { directory in
            let store = Store.sqlite(directory + "/bindery.db")
            #expect(await bindery("check", "--store", store.shown) == nil)
            #expect(access(directory + "/bindery.db", F_OK) != 0)
            var sample = Sample()
            sample.parts.append(StoredPart(name: "of-another-build", version: 9, state: [0x7b], stamp: .none))
            try await sample.write(to: store)
            #expect(await bindery("check", "--store", store.shown) == nil)
            #expect(await bindery("check", "--store", "sqlite:\(directory)/no/x.db")?.contains("No such file") == true)
        }
    }

    @Test("check ends badly where a later version stored a view model, and counts")
    func later() async throws {
        try await withTemporaryDirectory { directory in
            let store = Store.sqlite(directory + "/bindery.db")
            for version in [1, 2, 2] {
                var sample = Sample()
                sample.parts = [StoredPart(name: "counter", version: version, state: [0x7b, 0x7d], stamp: .none)]
                try await sample.write(to: store)
            }
            #expect(
                await bindery("check", "--store", store.shown)
                    == "this build cannot read 2 view models and 0 whole sessions of \(store.shown)")
        }
    }

    @Test("copy takes sessions, cursors and keys into an empty file, and refuses one that is not empty")
    func copy() async throws {
        try await withTemporaryDirectory { directory in
            let (source, target) = (Store.sqlite(directory + "/a.db"), Store.sqlite(directory + "/b.db"))
            var sample = Sample()
            sample.keys = [Self.key(1), Self.key(2), Self.key(3)]
            try await sample.write(to: source)
            try await Sample().write(to: source)
            #expect(await bindery("copy", "--from", source.shown, "--to", target.shown) == nil)
            let (before, after) = (try rows(source), try rows(target))
            #expect(after.map(\.0) == before.map(\.0))
            #expect(after.map { $0.1.count } == [3, 0])
            #expect(Set(after[0].1.map(\.digest)) == Set(sample.keys.map(\.digest)))
            let again = await bindery("copy", "--from", source.shown, "--to", target.shown)
            #expect(again == "\(target.shown) has sessions: name an empty store, or another --store-schema")
        }
    }

    @Test("copy into PostgreSQL and back leaves nothing out, and check reads it there")
    func postgres() async throws {
        let server = try await PostgresServer.ready()
        let schema = "copy\(UInt32.random(in: 0...UInt32.max))"
        try await withTemporaryDirectory { directory in
            let source = Store.sqlite(directory + "/a.db"), back = Store.sqlite(directory + "/b.db")
            var sample = Sample()
            sample.keys = [Self.key(1), Self.key(2)]
            try await sample.write(to: source)
            #expect(await bindery("check", "--store", server.uri(), "--store-schema", schema) == nil)
            for (from, to) in [(source.shown, server.uri()), (server.uri(), back.shown)] {
                #expect(await bindery("copy", "--from", from, "--to", to, "--store-schema", schema) == nil)
            }
            #expect(await bindery("check", "--store", server.uri(), "--store-schema", schema) == nil)
            #expect(try rows(back).map(\.0) == rows(source).map(\.0))
            #expect(try rows(back)[0].1.count == 2)
        }
        try server.run("DROP SCHEMA \(schema) CASCADE")
    }

    @Test("copy needs two stores that last, and a source that is there")
    func usage() async throws {
        try await withTemporaryDirectory { directory in
            let file = "sqlite:\(directory)/a.db"
            #expect(await bindery("copy", "--from", file) == "copy needs --from and --to")
            #expect(await bindery("copy", "--from", file, "--to", file) == "\(file): there is no store")
            #expect(access(directory + "/a.db", F_OK) != 0)
            try await Sample().write(to: .sqlite(directory + "/a.db"))
            #expect(await bindery("copy", "--from", file, "--to", file) == "--from and --to are the same store")
            #expect(await bindery("copy", "--from", file, "--to", "memory")?.contains("does not last") == true)
        }
    }

    @Test("copy refuses a file that is served")
    func served() async throws {
        try await withTemporaryDirectory { directory in
            let store = Store.sqlite(directory + "/a.db")
            let opened = try store.open(nil)
            let text = await bindery("copy", "--from", store.shown, "--to", "sqlite:\(directory)/b.db")
            #expect(text?.contains("is in use by") == true)
            await withCheckedContinuation { done in opened.close { done.resume() } }
        }
    }
}
