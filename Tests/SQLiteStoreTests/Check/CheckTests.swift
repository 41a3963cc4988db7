import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import SQLiteStore

@Suite("A check of a store")
struct CheckTests {
    private func put(_ model: String, of name: String, in store: SQLiteStore, version: Int = 1) async throws
        -> SessionID
    {
        let steps = Steps()
        try await store.commit(steps.creation())
        let record = ViewModelRecord(name: name, version: version, model: Array(model.utf8), outputs: [])
        try await store.commit(steps.step(from: 0, record))
        return steps.id
    }

    @Test("says what cannot be read, by view model and reason, while the store is open; what is stored it does not say")
    func findings() async throws {
        try await withBench { bench in
            let store = try bench.open()
            var broken: [SessionID] = []
            for _ in 0..<4 { broken.append(try await put(#"{"count":"secret"}"#, of: "counter", in: store)) }
            _ = try await put("{}", of: "counter", in: store)
            let later = try await put("{}", of: "counter", in: store, version: 2)
            _ = try await put("[]", of: "elsewhere", in: store)
            let check = try await SQLiteStore.check(bench.path, for: Catalogue.samples.viewModels).models
            #expect(check.models == 6)
            #expect(check.others == 1)
            #expect(check.unreadable == 5)
            #expect(check.findings.map(\.count) == [4, 1])
            let ids = broken.prefix(ModelCheck.named).map(\.publicID).joined(separator: ", ")
            #expect(
                check.findings.map(\.description) == [
                    "counter: the member count has a value that this build does not read: 4 sessions, \(ids), …",
                    "counter: the member count is not in what a later version stored (stored by version 2, read by 1): 1 session, "
                        + later.publicID,
                ])
            await store.close()
        }
    }

    @Test("says how many sessions there are, how many are over, and when the others end")
    func ages() async throws {
        try await withBench { bench in
            let store = try bench.open()
            let empty = try await SQLiteStore.check(bench.path, for: [])
            #expect("\(empty)" == "sound, schema 4; 0 sessions; 0 outcomes of idempotency keys")
            for _ in 0..<4 { try await store.commit(Steps().creation()) }
            await store.close()
            let connection = try bench.connection()
            for (number, end) in [(1, "NULL"), (2, "1000"), (3, "5000000000"), (4, "6000000000")] {
                try connection.execute("UPDATE sessions SET ends = \(end) WHERE number = \(number)")
            }
            let check = try await SQLiteStore.check(bench.path, for: [])
            #expect(
                "\(check)"
                    == "sound, schema 4; 4 sessions, 1 of them over, the next ends 2128-06-11T08:53:20Z, the last "
                    + "2160-02-18T10:40:00Z; 0 outcomes of idempotency keys")
        }
    }

    @Test("says what is damaged, and reads no models then")
    func damaged() async throws {
        try await withBench { bench in
            try await bench.prepare(Steps())
            try bench.write(Array(repeating: 0x5a, count: 4096), at: 5 * 4096)
            let check = try await SQLiteStore.check(bench.path, for: Catalogue.samples.viewModels)
            #expect((1...StoreCheck.told).contains((check.damage ?? []).count))
            #expect(check.models == ModelCheck())
        }
    }

    @Test("reads all pages, and nothing twice")
    func pages() async throws {
        try await withBench { bench in
            let store = try bench.open()
            await store.close()
            let connection = try bench.connection()
            try connection.execute(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1025)
                INSERT INTO view_models SELECT n / 3, 'counter' || n, CAST('{}' AS BLOB), x'', 1 FROM numbers
                """)
            #expect(try await SQLiteStore.check(bench.path, for: []).models.others == 1025)
        }
    }

    @Test("reads a file of the first schema, and leaves it as it is")
    func firstSchema() async throws {
        try await withBench { bench in
            let fixture = try #require(Bundle.module.url(forResource: "Fixtures/version-1", withExtension: "sql"))
            try bench.connection().execute(String(contentsOf: fixture, encoding: .utf8))
            let before = try bench.contents()
            let check = try await SQLiteStore.check(bench.path, for: Catalogue.samples.viewModels)
            #expect(check.models == ModelCheck(models: 1))
            #expect(check.description.hasPrefix("sound, schema 1, led to 4 when it is served; 2 sessions"))
            #expect(try bench.contents() == before)
        }
    }

    @Test("of a file that is missing, not Bindery's, of a later schema or a part alone says so")
    func refused() async throws {
        try await withBench { bench in
            #expect(await refusal { _ = try await SQLiteStore.check(bench.path, for: []) }?.code == .missing)
            try bench.connection().execute("CREATE TABLE other (a)")
            #expect(await refusal { _ = try await SQLiteStore.check(bench.path, for: []) }?.code == .notBindery)
        }
        try await withBench { bench in
            try await bench.prepare(Steps())
            try bench.connection().execute("PRAGMA user_version = \(Schema.current.version + 1)")
            #expect(await refusal { _ = try await SQLiteStore.check(bench.path, for: []) }?.code == .newer)
        }
        try await withBench { bench in
            let store = try bench.open { $0.purpose = .target }
            try await store.noteFilling(from: "elsewhere")
            await store.close()
            #expect(await refusal { _ = try await SQLiteStore.check(bench.path, for: []) }?.code == .unfinished)
        }
    }
}
