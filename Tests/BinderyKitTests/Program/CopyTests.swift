import Foundation
import PostgresStore
import SQLiteStore
import Sessions
import TestSupport
import Testing

@testable import BinderyKit
@testable import bindery

@Suite("bindery copy")
struct CopyTests {
    @Test("makes no store where there is none to copy, and clears what a copy left that was broken off")
    func copies() async throws {
        try await withTemporaryDirectory { directory in
            let (from, to) = (directory + "/from.db", directory + "/to.db")
            let arguments = ["copy", "--from", "sqlite:" + from, "--to", "sqlite:" + to]
            await #expect(throws: SQLiteStoreError.self) { try await Bindery.run(arguments, [:]) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)

            let source = try SQLiteStore(path: from)
            for _ in 0..<3 { try await source.commit(Steps().creation()) }
            await source.close()
            let part = try SQLiteStore(path: to, purpose: .target)
            try await part.noteFilling(from: from)
            try await part.commit(Steps().creation())
            await part.close()
            try await Bindery.run(arguments, [:])
            let copy = try SQLiteStore(path: to)
            #expect(copy.count() == 3)
            await copy.close()
        }
    }

    @Test("says which of the two stores failed, and why, and no password")
    func failed() async throws {
        let server = try await PostgresServer.ready()
        try await withTemporaryDirectory { directory in
            let schema = PostgresServer.schema(for: directory)
            let (file, tables) = ("sqlite:" + directory + "/file.db", server.uri() + "&password=hidden")
            let source = try SQLiteStore(path: directory + "/file.db")
            try await source.commit(Steps().creation())
            await source.close()
            // Makes the tables.
            try await PostgresStore(uri: tables, schema: #require(SchemaName(schema))).close()
            try server.run(
                """
                CREATE FUNCTION \(schema).full() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'no space'; END $$;
                CREATE TRIGGER a BEFORE INSERT ON \(schema).sessions FOR EACH ROW EXECUTE FUNCTION \(schema).full()
                """)
            let filling = await failure(of: ["copy", "--from", file, "--to", tables, "--store-schema", schema])
            let described = "postgres://postgres@\(server.directory)/postgres"
            let reason = "no space; a disk of the database server is full"
            #expect(filling.hasPrefix("\(described), to which was copied, failed: \(reason); what was copied"))
            #expect(!filling.contains("hidden"))
            try server.run(
                """
                DROP TRIGGER a ON \(schema).sessions;
                UPDATE \(schema).store SET filling_from = NULL;
                INSERT INTO \(schema).sessions (id, language, beginnings, history, seq, version)
                    VALUES ('\\x00', 'en', '', '', 0, '')
                """)
            let target = "sqlite:" + directory + "/other.db"
            let reading = await failure(of: ["copy", "--from", tables, "--to", target, "--store-schema", schema])
            #expect(reading.hasPrefix("\(described), which was copied, failed: "))
            #expect(reading.contains("cannot be read: damaged") && !reading.contains("hidden"))
            try server.run("DROP SCHEMA \(schema) CASCADE")
        }
    }

    private func failure(of arguments: [String]) async -> String {
        await #expect(throws: CommandFailure.self) { try await Bindery.run(arguments, [:]) }?.description ?? ""
    }
}
