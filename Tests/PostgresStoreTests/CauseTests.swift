import Events
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import PostgresStore

@Suite("Why a database can be away: nobody waits, the log says why, and it comes back by itself", .serialized)
struct CauseTests {
    @Test("no connection is left at the server when those that there were are cut")
    func exhausted() async throws {
        try await withPatient(serverSettings: ["max_connections=20"]) { patient in
            var others: [Connection] = []
            let target = try Target(patient.uri + "&application_name=other")
            let isFull = try await eventually {
                while let other = try? Connection(target, commands: "SET search_path = \(patient.schema.quoted)") {
                    others.append(other)
                }
                let cut = try patient.server.run(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'bindery'")
                // Three more are kept for superusers.
                return others.count == 17 && cut == "0"
            }
            #expect(isFull)
            await patient.isAway("all connections that the server allows are taken")
            #expect(await patient.replica.fails { () throws(StoreFailure) in _ = try await patient.load() })
            #expect(patient.measure("bindery_store_connections") < patient.measure("bindery_store_connections_wanted"))
            #expect(patient.measure("bindery_store_connections_lost_total") > 0)
            others = []
            try await patient.isBack()
            #expect(await eventually { patient.measure("bindery_store_connections") == 5 })
        }
    }

    @Test("a disk of the server is full: what needs more of it fails, and readiness does not depend on what needs none")
    func full() async throws {
        try await withPatient { patient in
            let filler = Steps()
            try await patient.store.commit(filler.creation())
            // Beyond the size of a file of the log, which must not meet the bound.
            try patient.server.run(
                """
                INSERT INTO \(patient.schema.rawValue).view_models
                SELECT number, 'filler', 0, string_agg(sha512(uuid_send(gen_random_uuid())), ''), ''
                FROM \(patient.schema.rawValue).sessions, generate_series(1, 280000)
                WHERE id = decode('\(filler.id.rawValue)', 'hex') GROUP BY number
                """)
            let size = try patient.server.run(
                """
                SELECT pg_relation_size(reltoastrelid) FROM pg_class
                WHERE oid = '\(patient.schema.rawValue).view_models'::regclass
                """)
            // Half a page more: the server takes what it can only write in part for a disk that is full.
            try patient.server.boundFiles(to: String(#require(Int(size)) + 4096))
            let model = (0..<100_000).map { _ in UInt8.random(in: .min ... .max) }
            let large = ViewModelRecord(name: "counter", version: 1, model: model, outputs: [])
            let failure = await patient.replica.failure { () throws(StoreFailure) in
                try await patient.store.commit(patient.steps.step(from: 0, large))
            }
            #expect(failure == .notSent)
            await patient.isNotReady("a disk of the database server is full")
            #expect(patient.failures("disk-full") > 0)
            // In its row's page there is room.
            try await patient.store.commit(patient.steps.step(from: 0))
            #expect(await !patient.store.isReady())
            try patient.server.boundFiles(to: "unlimited")
            #expect(await eventually { await patient.store.isReady() })
            try await patient.store.commit(patient.steps.step(from: 1, large))
        }
    }

    @Test("a server that takes no writes any more")
    func readOnly() async throws {
        try await withPatient { patient in
            try patient.server.run("ALTER SYSTEM SET default_transaction_read_only = on")
            try patient.server.run("SELECT pg_reload_conf()")
            await patient.isAway("the server takes no writes")
            // What is stored is read all the same.
            #expect(try await patient.load() != nil)
            try patient.server.run("ALTER SYSTEM RESET default_transaction_read_only")
            try patient.server.run("SELECT pg_reload_conf()")
            try await patient.isBack()
        }
    }

    @Test("a server that comes back with another password for its role: the log says so after it said that it was gone")
    func password() async throws {
        try await withPatient { patient in
            try patient.server.demandPassword(of: patient.schema.rawValue)
            try patient.server.run("ALTER ROLE \(patient.schema.rawValue) PASSWORD 'another'")
            try patient.server.stop()
            // Before anybody asks.
            #expect(await eventually { patient.measure("bindery_store_up") == 0 })
            await patient.isAway("failed: No such file or directory")
            try patient.server.start()
            await patient.isAway("password authentication failed for user")
            #expect(patient.log.all.allSatisfy { !"\($0)".contains("right") })
            try patient.server.run("ALTER ROLE \(patient.schema.rawValue) PASSWORD 'right'")
            try await patient.isBack()
        }
    }

    @Test("a server that takes longer than it may: the next does not wait as long again")
    func slow() async throws {
        try await withPatient { patient in
            let schema = patient.schema.rawValue
            try patient.server.run(
                """
                CREATE FUNCTION \(schema).slow() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
                CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON \(schema).sessions
                    FOR EACH ROW EXECUTE FUNCTION \(schema).slow()
                """)
            await patient.isAway("the server did not end it in time")
            #expect(patient.failures("timeout") > 0)
            // A hundred that waited would take more than a minute.
            let start = ContinuousClock.now
            for _ in 0..<100 {
                #expect(
                    await patient.replica.fails { () throws(StoreFailure) in
                        try await patient.store.commit(patient.steps.step(from: 0))
                    })
            }
            #expect(ContinuousClock.now - start < .seconds(40))
            try patient.server.run("DROP FUNCTION \(schema).slow CASCADE")
            try await patient.isBack()
        }
    }

    @Test("somebody holds a lock on a table: it is told, and nobody waits for it")
    func locked() async throws {
        try await withPatient { patient in
            let somebody = try Connection(
                Target(patient.server.uri()), commands: "SET search_path = \(patient.schema.quoted)")
            try somebody.execute("BEGIN; LOCK TABLE sessions")
            await patient.isAway("somebody holds a lock")
            #expect(patient.failures("locked") > 0)
            try somebody.execute("ROLLBACK")
            try await patient.isBack()
        }
    }
}

/// A store that something is done to, by a role that is no superuser, on a server of its own.
private struct Patient {
    let server: PostgresServer
    let schema: SchemaName
    let store: PostgresStore
    let log: RecordedEvents
    /// Of a session that is stored.
    let steps = Steps()

    var uri: String { Self.uri(server, schema) }
    var replica: Replica { Replica(store: store, server: server, schema: schema.rawValue) }

    static func uri(_ server: PostgresServer, _ role: SchemaName) -> String {
        server.uri(user: role.rawValue) + "&password=right"
    }

    func load() async throws(StoreFailure) -> SessionRecord? { try await store.load(steps.id) }

    /// Waits until commits fail with nothing done, and looks whether the next does so too, and whether operators are told.
    func isAway(_ reason: String) async {
        #expect(
            await eventually {
                await replica.fails { () throws(StoreFailure) in try await store.commit(steps.step(from: 0)) }
                    && isTold(reason)
            })
        #expect(await replica.fails { () throws(StoreFailure) in try await store.commit(steps.step(from: 0)) })
        await isNotReady(reason)
    }

    func isNotReady(_ reason: String) async {
        // Whoever submits is told before the log is.
        #expect(await eventually { isTold(reason) }, "\(log.named("store-lost"))")
        #expect(await !store.isReady())
        #expect(measure("bindery_store_up") == 0)
    }

    private func isTold(_ reason: String) -> Bool {
        log.named("store-lost").contains { event in
            event.fields.contains { $0.name == "reason" && "\($0.value)".contains(reason) }
        }
    }

    /// Waits until it works again, without being opened anew.
    func isBack() async throws {
        #expect(await eventually { await store.isReady() })
        #expect(await eventually { measure("bindery_store_up") == 1 })
        // One that was under way may be unknown, and stored.
        #expect(
            await eventually {
                guard let head = try? await load()?.head else { return false }
                return (try? await store.commit(steps.step(from: head.seq))) != nil
            })
    }

    func measure(_ name: String) -> Double {
        replica.measure(name)
    }

    func failures(_ reason: String) -> Double {
        let samples = store.measures.first { $0.name == "bindery_store_failures_total" }?.samples ?? []
        return samples.first { $0.labels == [Measure.Label("reason", reason)] }?.value ?? -1
    }
}

private func withPatient(
    serverSettings: [String] = [], _ body: (Patient) async throws -> Void
) async throws {
    let server = try await onThread { try PostgresServer(serverSettings) }
    try await onOwnThread {
        let schema = try #require(SchemaName("patient"))
        try server.run("CREATE ROLE patient LOGIN PASSWORD 'right'; CREATE SCHEMA patient AUTHORIZATION patient")
        let log = RecordedEvents()
        var settings = Settings(schema: schema)
        settings.log = log
        settings.statementTimeout = .milliseconds(800)
        settings.lockTimeout = .milliseconds(300)
        let store = try PostgresStore(uri: Patient.uri(server, schema), settings: settings)
        let patient = Patient(server: server, schema: schema, store: store, log: log)
        do {
            try await store.commit(patient.steps.creation())
            try await body(patient)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}
