import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("A database that goes away", .serialized)
struct AwayTests {
    private let steps = Steps()

    @Test("connections that are cut are made anew, and nothing is lost")
    func cut() async throws {
        try await withReplicas(on: PostgresServer.started()) { one, _ in
            let incarnation = one.store.incarnation
            try await one.commit(steps.creation())
            try one.server.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'bindery' AND pid <> pg_backend_pid()
                """)
            #expect(await eventually { (try? await one.load(steps.id)) != nil })
            #expect(await eventually { await one.store.isReady() })
            // One that was under way may be unknown; read again, it goes on.
            for seq in UInt64(0)..<20 {
                let isStored = await eventually {
                    guard let head = try? await one.load(steps.id)?.head else { return false }
                    if head.seq == seq { try? await one.commit(steps.step(from: seq)) }
                    return head.seq > seq
                }
                #expect(isStored)
            }
            #expect(one.store.incarnation == incarnation)
        }
    }

    @Test("while it is away all that is asked fails at once; when it is back, it is another incarnation")
    func restarted() async throws {
        let server = try await PostgresServer.started()
        let log = RecordedEvents()
        var settings = Settings()
        settings.log = log
        try await withReplicas(settings, on: server) { one, other in
            let incarnation = one.store.incarnation
            try await one.commit(steps.creation())
            try server.stop()
            #expect(
                await eventually {
                    await one.fails { () throws(StoreFailure) in try await one.commit(steps.step(from: 0)) }
                })
            #expect(
                await eventually { await one.fails { () throws(StoreFailure) in _ = try await one.load(steps.id) } })
            let isReady = await one.store.isReady()
            #expect(!isReady)
            try server.start()
            #expect(await eventually { (try? await one.load(steps.id)) != nil })
            #expect(await eventually { await one.store.isReady() })
            #expect(one.store.incarnation != incarnation)
            let changes = log.named("store-changed").flatMap(\.fields)
            #expect(changes.contains { $0.name == "host" && "\($0.value)".contains(server.directory) })
            #expect(await eventually { one.store.incarnation == other.store.incarnation })
            // Whatever was answered with `unknown` was stored or was not.
            let head = try #require(try await one.load(steps.id)?.head)
            #expect(await eventually { (try? await one.commit(steps.step(from: head.seq))) != nil })
        }
    }

    @Test(
        "a commit that waits for a standby is unknown after a time, what comes after it is not sent, and both end when it is back"
    )
    func stalled() async throws {
        let server = try await PostgresServer.started()
        let log = RecordedEvents()
        var settings = Settings()
        settings.commitTimeout = .milliseconds(300)
        settings.log = log
        try await withReplicas(settings, on: server) { one, _ in
            try await one.commit(steps.creation())
            try await server.awaitNobody()
            await #expect(throws: StoreFailure.unknown) { try await one.commit(steps.step(from: 0)) }
            await #expect(throws: StoreFailure.notSent) { try await one.commit(Steps().creation()) }
            let isReady = await one.store.isReady()
            #expect(!isReady)
            // Whoever looks after it is told what is waited for.
            #expect(
                await eventually {
                    log.named("store-lost").flatMap(\.fields).contains { "\($0.value)".contains("synchronous standby") }
                })
            #expect(
                one.store.measures.first { $0.name == "bindery_store_failures_total" }?.samples.contains {
                    $0.labels.contains { $0.value == "standby" } && $0.value > 0
                } == true)
            // Another can start meanwhile.
            let beside = try PostgresStore(uri: server.uri(), schema: #require(SchemaName(one.schema)))
            #expect(try await beside.load(steps.id)?.head == steps.head(0))
            await beside.close()
            // Not seen by anybody as long as it is not safe.
            #expect(try await one.load(steps.id)?.head == steps.head(0))
            try server.awaitNobodyMore()
            #expect(try await eventually { try await one.load(steps.id)?.head == steps.head(1) })
            #expect(await eventually { await one.store.isReady() })
            try await one.commit(steps.step(from: 1))
        }
    }

    @Test("a commit that never ends is left behind where others have found another server meanwhile")
    func leftBehind() async throws {
        let server = try await PostgresServer.started()
        var settings = Settings()
        settings.commitTimeout = .milliseconds(300)
        try await withReplicas(settings, on: server) { one, _ in
            try await one.commit(steps.creation())
            try await server.awaitNobody()
            await #expect(throws: StoreFailure.unknown) { try await one.commit(steps.step(from: 0)) }
            // Another in that it holds something else, and in that it has no standby to wait for; the writer's end of a connection
            // hears of neither.
            try server.run(
                """
                SET synchronous_commit = local; ALTER ROLE postgres SET synchronous_commit = local;
                UPDATE \(one.schema).store SET mark = gen_random_uuid()
                """)
            // Once that is there for who comes back.
            try server.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bindery'
                    AND wait_event IS DISTINCT FROM 'SyncRep'
                """)
            let other = Steps()
            #expect(await eventually { (try? await one.commit(other.creation())) != nil })
            #expect(try server.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "0")
            try server.awaitNobodyMore()
        }
    }

    @Test("a commit that was put off is answered when the server goes, and not only when it is back")
    func putOff() async throws {
        let server = try await PostgresServer.started()
        var settings = Settings()
        settings.lockTimeout = .seconds(600)
        try await withReplicas(settings, on: server) { one, _ in
            try await one.commit(steps.creation())
            let holder = try Connection(Target(server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; SELECT FROM sessions WHERE id = '\\x\(steps.id.rawValue)' FOR UPDATE")
            async let fate = one.failure { () throws(StoreFailure) in try await one.commit(steps.step(from: 0)) }
            #expect(await eventually { one.measure("bindery_store_held_total") > 0 })
            try server.stop()
            // Put off at that moment, or on its way once more.
            #expect([.notSent, .unknown].contains(await fate))
            try server.start()
        }
    }

    @Test("what is at stake is told when somebody changes it, and at another server")
    func atRisk() async throws {
        let server = try await PostgresServer.started()
        let log = RecordedEvents()
        var settings = Settings()
        settings.askInterval = .milliseconds(100)
        settings.lookInterval = .milliseconds(100)
        settings.log = log
        func told(_ word: String) -> Int {
            log.named("store-at-risk").flatMap(\.fields).count { "\($0.value)".contains(word) }
        }
        try await withReplicas(settings, on: server) { one, other in
            #expect(told("synchronous_standby_names is empty") == 2)
            try server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try server.run("ALTER SYSTEM SET synchronous_commit = 'remote_write'")
            try server.run("SELECT pg_reload_conf()")
            #expect(await eventually { told("remote_write") == 2 })
            try server.run("ALTER SYSTEM RESET ALL")
            try server.run("SELECT pg_reload_conf()")
            #expect(await eventually { told("synchronous_standby_names is empty") == 4 })
            let measure = one.store.measures.first { $0.name == "bindery_store_at_risk" }
            // Tests do without fsync.
            #expect(measure?.samples.map(\.value) == [2])
            _ = other
        }
    }

    @Test("a commit whose wait for a standby somebody ends is unknown, though the server says that it is done")
    func cancelled() async throws {
        let server = try await PostgresServer.started()
        try await withReplicas(on: server) { one, _ in
            try await one.commit(steps.creation())
            try await server.awaitNobody()
            async let fate: StoreFailure? = one.failure { () throws(StoreFailure) in
                try await one.commit(steps.step(from: 0))
            }
            let isCancelled = try await eventually {
                try server.run(
                    """
                    SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
                    """) != "0"
            }
            #expect(isCancelled)
            #expect(await fate == .unknown)
            try server.awaitNobodyMore()
        }
    }
}

extension PostgresServer {
    /// Has commits wait for a synchronous standby that is not there.
    fileprivate func awaitNobody() async throws {
        try run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try run("SELECT pg_reload_conf()")
        #expect(try await eventually { try run("SHOW synchronous_standby_names") == "nobody" })
    }

    /// Lets them go.
    fileprivate func awaitNobodyMore() throws {
        try run("ALTER SYSTEM RESET synchronous_standby_names")
        try run("SELECT pg_reload_conf()")
    }
}
