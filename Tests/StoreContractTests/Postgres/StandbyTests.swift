import Entities
import StoreParts
import TestSupport
import Testing

@testable import PostgresStore

/// Protects clients from a commit that a fail-over may lose.
@Suite("A synchronous standby that does not answer", .serialized)
struct StandbyTests {
    @Test("makes a commit unknown, which nobody sees, until the standby has it")
    func away() async throws {
        let server = try await PostgresServer.started()
        let events = History<StoreEvent>()
        try await PostgresBench.withReplicas(
            {
                $0.commitTimeout = .seconds(2)
                $0.tell = { events.append($0) }
            }, on: server
        ) { one, other, bench in
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            let before = line.state.head
            try await server.awaitNobody()
            #expect(await one.stored(line.next()) == "unknown")
            #expect(await other.head(of: line.id) == .found(before))
            #expect(await !one.isReady)
            try server.awaitNobodyMore()
            #expect(await eventually { await one.isReady })
            #expect(await eventually { await other.head(of: line.id) != .found(before) })
            guard case .found(let row) = await one.loaded(line.id) else { throw Failed() }
            var loaded = Line(row)
            #expect(await one.stored(loaded.next()) == "stored")
            guard case .lost = events.all.first else { throw Failed() }
        }
    }

    @Test("makes a commit unknown if somebody cancels its wait, though the server says that it is done")
    func cancelled() async throws {
        let server = try await PostgresServer.started()
        try await PostgresBench.withReplica(on: server) { one, bench in
            var line = Line.session()
            #expect(await one.stored(line.begin()) == "stored")
            try await server.awaitNobody()
            let told = History<CommitResult>()
            one.submit(line.next()) { told.append($0) }
            let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            #expect(try await eventually { try server.run(cancel) != "0" })
            #expect(await eventually { told.all == [.unknown] })
            try server.awaitNobodyMore()
        }
    }
}

extension PostgresServer {
    /// Makes commits wait for a synchronous standby that does not exist.
    fileprivate func awaitNobody() async throws {
        try run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try run("SELECT pg_reload_conf()")
        #expect(try await eventually { try run("SHOW synchronous_standby_names") == "nobody" })
        // Commits wait once the checkpointer has read the setting, which it does before a checkpoint.
        try run("CHECKPOINT")
    }

    /// Lets them go.
    fileprivate func awaitNobodyMore() throws {
        try run("ALTER SYSTEM RESET synchronous_standby_names")
        try run("SELECT pg_reload_conf()")
    }
}
