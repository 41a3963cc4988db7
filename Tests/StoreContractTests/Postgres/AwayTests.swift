import Entities
import StoreParts
import TestSupport
import Testing

@testable import PostgresStore

/// Protects a server from a database that stops, hangs or changes its host.
@Suite("A database that goes away", .serialized)
struct AwayTests {
    @Test("refuses commits and fails reads until it is back, and says so once each")
    func restarted() async throws {
        let server = try await PostgresServer.started()
        let events = History<StoreEvent>()
        try await PostgresBench.withReplica(
            {
                $0.tell = { events.append($0) }
                $0.probeInterval = .milliseconds(10)
            }, on: server
        ) { one, bench in
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            #expect(await one.isReady)
            try server.stop()
            let before = line
            #expect(await one.stored(line.next()) == "refused")
            guard case .failed = await one.loaded(line.id) else { throw Failed() }
            #expect(await one.head(of: line.id) == .failed)
            #expect(await !one.isReady)
            try server.start()
            // The store finds out by itself.
            #expect(await eventually { events.all.count == 2 })
            guard case .lost = events.all[0], case .back = events.all[1] else { throw Failed() }
            line = before
            #expect(await one.isReady)
            #expect(await one.stored(line.next()) == "stored")
            #expect(await eventually { await one.head(of: line.id) == .found(line.state.head) })
        }
    }

    @Test("loses no commit if idle connections are cut")
    func cut() async throws {
        let server = try await PostgresServer.started()
        try await PostgresBench.withReplica(on: server) { one, bench in
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            for _ in 0..<5 {
                try server.run(
                    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'bindery'")
                #expect(await one.stored(line.next()) == "stored")
                #expect(await one.head(of: line.id) == .found(line.state.head))
            }
        }
    }

    @Test("does not open a store, and says why, where no server answers or takes writes")
    func opening() async throws {
        #expect(throws: PostgresStoreError.self) { try PostgresStore(uri: "postgres://[") }
        let silent = try SilentPort()
        let start = ContinuousClock.now
        let error = #expect(throws: PostgresStoreError.self) {
            try PostgresStore(uri: "postgres://user:secret@127.0.0.1:\(silent.port)/app")
        }
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(error?.description.hasPrefix("postgres://user@127.0.0.1:\(silent.port)/app: ") == true)
        #expect(throws: PostgresStoreError.self) {
            var settings = PostgresStore.Settings()
            settings.schema = "a\"b"
            return try PostgresStore(uri: "postgres:///", settings: settings)
        }
    }

    @Test("is passed over for another host that takes writes")
    func hosts() async throws {
        let standby = try await onThread { try PostgresServer(["default_transaction_read_only=on"]) }
        let primary = try await PostgresServer.ready()
        let uri = "postgres:///postgres?host=\(standby.directory),\(primary.directory)&user=postgres&connect_timeout=30"
        try await onOwnThread {
            var settings = PostgresStore.Settings()
            settings.schema = "hosts"
            let store = try PostgresStore(uri: uri, settings: settings)
            var line = Line.session()
            #expect(await store.stored(line.begin()) == "stored")
            await store.closed()
            #expect(try primary.run("SELECT count(*) FROM hosts.entities") == "1")
        }
    }
}
