import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("A file of another schema")
struct FileVersionTests {
    private let steps = Steps()

    /// A later Bindery's schema, which adds only what this one leaves alone.
    private static let additive = Schema(
        migrations: Schema.current.migrations + [
            Migration(
                version: Schema.current.version + 1,
                statements: "ALTER TABLE view_models ADD COLUMN later TEXT NOT NULL DEFAULT 'none'",
                readableFrom: Schema.current.version)
        ])

    /// A later Bindery's schema, which this one cannot read.
    private static let breaking = Schema(
        migrations: Schema.current.migrations + [
            Migration(version: Schema.current.version + 1, statements: "ALTER TABLE view_models RENAME TO models")
        ])

    private func makeFirst(_ bench: Bench) throws {
        let fixture = try #require(Bundle.module.url(forResource: "Fixtures/version-1", withExtension: "sql"))
        try bench.connection().execute(String(contentsOf: fixture, encoding: .utf8))
    }

    @Test(
        "says in one number which it is and who can read it",
        arguments: [(3, 3, 3), (3, 2, 131_075)] as [(Int32, Int32, Int32)])
    func number(schema: Int32, readableFrom: Int32, number: Int32) {
        let version = FileVersion(schema: schema, readableFrom: readableFrom)
        #expect(version.number == number)
        #expect(FileVersion(number: number) == version)
    }

    @Test("is kept as it was before it is led to this one, with the same history, and the operator is told where")
    func copy() async throws {
        try await withBench { bench in
            try makeFirst(bench)
            try await bench.open().close()
            let copy = bench.path + ".before-4"
            #expect(bench.told.count == 1)
            #expect(bench.told.first?.hasPrefix("store-migrated \(bench.path) 1 4 \(copy) ") == true)
            #expect(try DatabaseHeader.read(copy)?.version.schema == 1)
            let connection = try bench.connection(to: copy)
            #expect(try connection.text("SELECT epoch FROM sessions WHERE number = 2") == "epoch1")
            // Once.
            try await bench.open().close()
            #expect(bench.told.count == 1)
        }
    }

    @Test("is copied beside an earlier copy, which is left alone; and where there are many, it is refused as it is")
    func copies() async throws {
        try await withBench { bench in
            try makeFirst(bench)
            let names = SQLiteStoreError.copies(of: bench.path, before: 4)
            #expect(names.prefix(2) == [bench.path + ".before-4", bench.path + ".before-4.2"])
            for name in names.dropLast() { try Data("mine".utf8).write(to: URL(fileURLWithPath: name)) }
            try await bench.open().close()
            for name in names.dropLast() { #expect(FileManager.default.contents(atPath: name) == Data("mine".utf8)) }
            #expect(try DatabaseHeader.read(names.last ?? "")?.version.schema == 1)
            try FileManager.default.removeItem(atPath: bench.path)
            try makeFirst(bench)
            let before = try bench.contents()
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.description.contains("has to be led to schema 4, and no copy of it could be kept") == true)
            #expect(try bench.contents() == before)
        }
    }

    @Test("is refused as it is where there is no room for a copy", .enabled(if: Mount.isPossible, Mount.reason))
    func noRoom() async throws {
        try await Mount.withFileSystem(of: "256k") { mount in
            let bench = Bench(directory: mount.directory)
            try makeFirst(bench)
            let connection = try bench.connection()
            try connection.execute("INSERT INTO view_models VALUES (9, 'large', zeroblob(120000), x'')")
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.description.contains("no copy of it could be kept before") == true)
            #expect(try DatabaseHeader.read(bench.path)?.version.schema == 1)
            #expect(!FileManager.default.fileExists(atPath: bench.path + ".before-4"))
        }
    }

    @Test("leaves no copy where a step fails: it is as it was")
    func failing() async throws {
        try await withBench { bench in
            try makeFirst(bench)
            let broken = Schema(migrations: [
                .first, Migration(version: 2, statements: "ALTER TABLE nowhere ADD COLUMN a"),
            ])
            #expect(await refusal { _ = try bench.open { $0.schema = broken } } != nil)
            #expect(!FileManager.default.fileExists(atPath: bench.path + ".before-4"))
        }
    }

    @Test("that is later and only adds is used, and stays what it is")
    func additive() async throws {
        try await withBench { bench in
            let later = try bench.open { $0.schema = Self.additive }
            try await later.commit(steps.creation())
            await later.close()
            let store = try bench.open()
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            #expect(try await store.load(steps.id)?.viewModels["counter"] == ViewModelRecord("counter", "1", at: 1))
            // After a failure the store finds out by writing whether it can.
            let other = try bench.connection()
            try other.execute("BEGIN IMMEDIATE")
            await #expect(throws: StoreFailure.notSent) { try await store.commit(steps.step(from: 1)) }
            try other.execute("ROLLBACK")
            #expect(await store.isReady())
            await store.close()
            #expect(try DatabaseHeader.read(bench.path)?.version == Self.additive.fileVersion)
            #expect(try bench.connection().text("SELECT later FROM view_models") == "none")
            #expect(!bench.told.contains { $0.hasPrefix("store-migrated") })
        }
    }

    @Test("that is later and changes more is refused, and the copy from before is named")
    func breaking() async throws {
        try await withBench { bench in
            try await bench.prepare(steps)
            _ = await refusal { _ = try bench.open { $0.schema = Self.breaking } }
            let connection = try bench.connection()
            try connection.execute("PRAGMA user_version = \(Self.breaking.version)")
            let copy = bench.path + ".before-\(Self.breaking.version)"
            let kept = try Data(contentsOf: URL(fileURLWithPath: copy))
            try Data().write(to: URL(fileURLWithPath: copy))
            let unaided = await refusal { _ = try bench.open() }
            #expect(unaided?.description.contains("restore a backup from before") == true)
            try kept.write(to: URL(fileURLWithPath: copy))
            let refusal = await refusal { _ = try bench.open() }
            #expect(refusal?.code == .newer)
            #expect(refusal?.description.hasSuffix("which is kept as \(copy).") == true)
        }
    }
}
