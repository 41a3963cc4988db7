import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import PostgresStore

@Suite("Checking tables before a build serves them")
struct CheckTests {
    private func check(_ one: Replica) async throws(PostgresStoreError) -> StoreCheck {
        try await PostgresStore.check(
            uri: one.server.uri(), schema: SchemaName(one.schema) ?? .standard, for: Catalogue.samples.viewModels)
    }

    private func refusal(_ one: Replica) async -> PostgresStoreError? {
        do throws(PostgresStoreError) {
            _ = try await check(one)
            return nil
        } catch {
            return error
        }
    }

    private func model(_ name: String, _ text: String) -> ViewModelRecord {
        ViewModelRecord(name: name, model: Array(text.utf8), outputs: [])
    }

    /// All that the schema's tables hold that are logged, and by which transaction each row was written.
    private func contents(_ one: Replica) throws -> String {
        try one.server.run(
            """
            SELECT query_to_xml('SELECT xmin, ctid, * FROM \(one.schema).' || relname, true, false, '')
            FROM pg_class WHERE relnamespace = '\(one.schema)'::regnamespace AND relkind = 'r' AND relpersistence = 'p' ORDER BY relname
            """)
    }

    @Test("counts by view model and member what cannot be read, beside replicas, and writes nothing")
    func findings() async throws {
        try await withReplicas { one, _ in
            let all = (0..<5).map { _ in Steps() }
            for (place, steps) in all.enumerated() {
                try await one.commit(steps.creation())
                try await one.commit(
                    steps.step(
                        from: 0, model("counter", "{}"), model("profile", place == 0 ? "{}" : "[]"), model("other", "")
                    ))
            }
            let before = try contents(one)
            let check = try await check(one)
            #expect(try contents(one) == before)
            #expect(check.sessions == 5 && check.models.models == 10 && check.models.others == 5)
            let finding = try #require(check.models.findings.first)
            #expect(check.models.findings.count == 1 && finding.count == 4)
            #expect(finding.reason.viewModel.rawValue == "profile")
            #expect(finding.sessions == all[1...3].map(\.id.publicID))
            #expect("\(check)" == "tables of version 3; 5 sessions; 0 outcomes of idempotency keys")
        }
    }

    @Test("reads all pages, of many models and of large ones, and nothing twice")
    func pages() async throws {
        try await withReplicas { one, _ in
            let steps = Steps()
            try await one.commit(steps.creation())
            try one.server.run(
                """
                INSERT INTO \(one.schema).view_models (session, name, version, model, outputs)
                SELECT s.number, 'many' || n, 1, '{}', '' FROM \(one.schema).sessions s, generate_series(1, 1025) n;
                INSERT INTO \(one.schema).view_models (session, name, version, model, outputs)
                SELECT s.number, 'large' || n, 1, convert_to(repeat('x', 3 << 20), 'UTF8'), ''
                FROM \(one.schema).sessions s, generate_series(1, 5) n
                """)
            #expect(try await check(one).models.others == 1030)
        }
    }

    @Test("reads tables of the versions before, and leaves them as they are", arguments: [1, 2])
    func earlier(version: Int) async throws {
        try await withReplicas { one, other in
            let steps = Steps()
            try await one.commit(steps.creation())
            try await one.commit(steps.step(from: 0, model("counter", "{}")))
            await one.store.close()
            await other.store.close()
            // As a Bindery of that version has made them.
            try one.server.run(
                """
                UPDATE \(one.schema).store SET schema = \(version);
                ALTER TABLE \(one.schema).store DROP mark, DROP moving_by, DROP moved_to, DROP moving_until, DROP filling_from;
                DROP TABLE \(one.schema).lifetime;
                """)
            if version == 1 { try one.server.run("DROP TABLE \(one.schema).replicas, \(one.schema).leases") }
            let before = try contents(one)
            let check = try await check(one)
            #expect(check.models == ModelCheck(models: 1))
            #expect("\(check)".hasPrefix("tables of version \(version), led to 3 when they are served; 1 session;"))
            #expect(try contents(one) == before)
        }
    }

    @Test("of tables that are missing, of a newer version or a part alone says so")
    func refused() async throws {
        try await withReplicas { one, _ in
            try one.server.run("UPDATE \(one.schema).store SET filling_from = 'a file'")
            #expect(await refusal(one)?.code == .unfinished)
            try one.server.run("UPDATE \(one.schema).store SET schema = 9, readable_from = 8")
            #expect(await refusal(one)?.code == .newer)
            let nowhere = Replica(store: one.store, server: one.server, schema: "nosuch")
            #expect(await refusal(nowhere)?.code == .missing)
        }
    }
}
