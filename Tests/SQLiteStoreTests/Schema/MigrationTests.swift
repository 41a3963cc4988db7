import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Migrations")
struct MigrationTests {
    private let steps = Steps()

    /// The schema that would follow this one, by two steps.
    private static let next = Schema(
        migrations: Schema.current.migrations + [
            Migration(
                version: Schema.current.version + 1,
                statements: "CREATE TABLE added (first INTEGER); INSERT INTO added VALUES (1)"),
            Migration(
                version: Schema.current.version + 2,
                statements: "ALTER TABLE added ADD COLUMN second INTEGER; UPDATE added SET second = first + 1"),
        ])

    @Test("the steps are numbered from 1 without a gap")
    func numbers() {
        #expect(Schema.current.migrations.map(\.version) == Array(1...Schema.current.version))
        #expect(Schema.current.version == 4)
    }

    @Test(
        "a file of every version that was ever released is led to the present one",
        arguments: 1...Schema.current.version)
    func released(version: Int32) async throws {
        try await withBench { bench in
            // As that version's Bindery wrote it: a text that is never changed, beside this test.
            let fixture = try #require(
                Bundle.module.url(forResource: "Fixtures/version-\(version)", withExtension: "sql"))
            try bench.connection().execute(String(contentsOf: fixture, encoding: .utf8))
            let store = try bench.open()
            let id = SessionID(rawValue: String(repeating: "0123456789abcdef", count: 4))
            let record = try #require(try await store.load(id))
            #expect(record.head.cursor == Cursor("epoch1.7"))
            #expect(
                record.head.version
                    == (version < 2
                        ? CommitVersion(number: 7, nonce: 0) : CommitVersion(number: 9, nonce: 0x1234_5678_9ABC_DEF0)))
            #expect(record.language == .english)
            #expect(record.end == TimeOfDay(secondsSince1970: 5_000_000_000))
            #expect(
                record.viewModels == [
                    "counter": ViewModelRecord(
                        name: "counter", model: Array(#"{"count":3}"#.utf8),
                        outputs: [
                            OutputRecord(name: "text", value: Array("\"3\"".utf8), seq: 7),
                            OutputRecord(name: "enabled", value: Array("true".utf8), seq: 300),
                        ])
                ])
            #expect(record.keys == 2)
            let outcome = try #require(try await store.outcome(of: KeyDigest(of: "b", in: id), in: id))
            #expect(outcome.status == 409)
            #expect(outcome.contentType == "application/problem+json")
            #expect(outcome.body == Array("{}".utf8))
            #expect(try await store.load(.public)?.end == nil)
            #expect(store.count() == 2)
            let begun = version < 4 ? nil : TimeOfDay(secondsSince1970: 4_900_000_000)
            #expect(try await store.sessions(after: 0, limit: 9).map(\.begun) == [nil, begun])
            try await store.commit(
                Commit(
                    id: id, base: record.head.version, head: record.head.remembering(), language: .english,
                    outcome: RememberedOutcome("c", of: id)))
            #expect(try await store.load(id)?.keys == 3)
            await store.close()
            #expect(try DatabaseHeader.read(bench.path)?.version == Schema.current.fileVersion)
        }
    }

    @Test("a file takes the steps it lacks, each once, and keeps its sessions")
    func missing() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            for _ in 0..<2 {
                let store = try bench.open { $0.schema = Self.next }
                #expect(try await store.load(steps.id)?.head.seq == 1)
                await store.close()
                let connection = try bench.connection()
                #expect(try connection.integer("SELECT count(*) FROM added") == 1)
                #expect(try connection.integer("SELECT second FROM added") == 2)
                #expect(try connection.integer("PRAGMA user_version") == Int64(Self.next.version))
            }
            #expect(await refusal { _ = try bench.open() }?.code == .newer)
        }
    }

    @Test("a new file takes all steps")
    func all() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.schema = Self.next }
            try await store.commit(steps.creation())
            await store.close()
            #expect(try DatabaseHeader.read(bench.path)?.version == Self.next.fileVersion)
        }
    }

    @Test("where a step fails, the file stays at the version it had")
    func failing() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            let broken = Schema(
                migrations: Self.next.migrations + [
                    Migration(version: Self.next.version + 1, statements: "ALTER TABLE nowhere ADD COLUMN third")
                ])
            let refusal = await refusal { _ = try bench.open { $0.schema = broken } }
            #expect(refusal?.description == "\(bench.path) cannot be used: no such table: nowhere.")
            let store = try bench.open()
            #expect(try await store.load(steps.id)?.head.seq == 1)
            await store.close()
        }
    }
}
