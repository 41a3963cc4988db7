import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Opening a store in PostgreSQL")
struct OpeningTests {
    @Test("replicas that start at once make the tables once")
    func together() async throws {
        let server = try await PostgresServer.ready()
        let schema = PostgresServer.schema(for: "/together\(UInt32.random(in: 0...UInt32.max))")
        let name = try #require(SchemaName(schema))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let store = try PostgresStore(uri: server.uri(), schema: name)
                    try await store.commit(Steps().creation())
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try server.run("SELECT count(*) FROM \(schema).sessions") == "6")
        try server.run("DROP SCHEMA \(schema) CASCADE")
    }

    @Test("the tables of a newer Bindery are refused, unless it says that this one can use them")
    func newer() async throws {
        try await withReplicas { one, _ in
            let name = try #require(SchemaName(one.schema))
            try one.server.run("UPDATE \(one.schema).store SET schema = 9")
            let log = RecordedEvents()
            try await PostgresStore(uri: one.server.uri(), schema: name, log: log).close()
            #expect(
                log.named("store-connected").flatMap(\.fields).contains {
                    $0.name == "tables" && "\($0.value)".contains("9")
                })
            #expect(try one.server.run("SELECT schema FROM \(one.schema).store") == "9")
            try one.server.run("UPDATE \(one.schema).store SET readable_from = 8")
            let error = #expect(throws: PostgresStoreError.self) {
                try PostgresStore(uri: one.server.uri(), schema: name)
            }
            #expect(error?.code == .newer)
            #expect(error?.description.contains("version 9") == true)
        }
    }

    @Test("where they are to be copied, tables that are not there are told, and not made")
    func missing() async throws {
        let server = try await PostgresServer.ready()
        let name = try #require(SchemaName("nosuch\(UInt32.random(in: 0...UInt32.max))"))
        let error = #expect(throws: PostgresStoreError.self) {
            try PostgresStore(uri: server.uri(), schema: name, purpose: .source)
        }
        #expect(error?.code == .missing)
        #expect(error?.description.contains("no tables of a Bindery in schema \(name.rawValue)") == true)
        #expect(try server.run("SELECT to_regnamespace('\(name.rawValue)') IS NULL") == "t")
    }

    @Test("another time to live moves the ends of the sessions that are there")
    func timeToLive() async throws {
        var settings = Settings()
        settings.timeToLive = .seconds(100)
        try await withReplicas(settings) { one, _ in
            let (steps, endless) = (Steps(), Steps())
            let end = try #require(one.store.timeOfDay).secondsSince1970 + 100
            try await one.commit(steps.creation(end: TimeOfDay(secondsSince1970: end)))
            try await one.commit(endless.creation())
            let name = try #require(SchemaName(one.schema))
            let longer = try PostgresStore(uri: one.server.uri(), schema: name, timeToLive: .seconds(1000))
            let later = TimeOfDay(secondsSince1970: end + 900)
            #expect(try await eventually { try await longer.load(steps.id)?.end == later })
            #expect(try await longer.load(endless.id)?.end == nil)
            await longer.close()
        }
    }

    @Test("a role that may only use its schema is enough")
    func role() async throws {
        try await withReplicas { one, _ in
            let role = "r" + one.schema
            try one.server.run("CREATE ROLE \(role) LOGIN; CREATE SCHEMA s\(one.schema) AUTHORIZATION \(role)")
            let name = try #require(SchemaName("s" + one.schema))
            let store = try PostgresStore(uri: one.server.uri(user: role), schema: name)
            let steps = Steps()
            try await store.commit(steps.creation())
            #expect(await store.isReady())
            await store.close()
            try one.server.run("DROP SCHEMA s\(one.schema) CASCADE; DROP ROLE \(role)")
        }
    }

    @Test("a role that may not use the schema is told what it wants")
    func noRight() async throws {
        try await withReplicas { one, _ in
            let role = "r" + one.schema
            try one.server.run("CREATE ROLE \(role) LOGIN")
            let error = #expect(throws: PostgresStoreError.self) {
                try PostgresStore(uri: one.server.uri(user: role), schema: #require(SchemaName(one.schema)))
            }
            #expect(error?.description.contains("GRANT USAGE, CREATE ON SCHEMA \(one.schema) TO \(role)") == true)
            try one.server.run("GRANT USAGE ON SCHEMA \(one.schema) TO \(role)")
            try one.server.run("GRANT ALL ON ALL TABLES IN SCHEMA \(one.schema) TO \(role)")
            try await PostgresStore(
                uri: one.server.uri(user: role), schema: #require(SchemaName(one.schema))
            ).close()
            try one.server.run("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    @Test(
        "what is shown of a URI has no password",
        arguments: [
            ("postgres://u:secret@db1:5433,db2/app?sslmode=require", "postgres://u@db1:5433,db2/app"),
            ("postgresql:///app?host=/run&password=secret", "postgres:///run/app"),
            ("postgres://u:secret@[", "postgres://…"),
        ])
    func shown(uri: String, shown: String) { #expect(PostgresStore.description(of: uri) == shown) }

    @Test("a server that is not there, and a URI that is none, are told without the password")
    func unreachable() {
        for uri in ["postgres://u:secret@127.0.0.1:1/app", "postgres://u:secret@h:port/x"] {
            let error = #expect(throws: PostgresStoreError.self) { try PostgresStore(uri: uri) }
            #expect(error?.description.contains("secret") == false)
        }
    }
}
