import Locking
import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Two replicas over one database")
struct ReplicaTests {
    private let steps = Steps()

    @Test("what one stored the other finds, and knows what it has already")
    func fresh() async throws {
        try await withReplicas { one, other in
            try await one.commit(steps.creation())
            #expect(try await other.load(steps.id)?.head == steps.head(0))
            try await one.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            guard case .asKnown = try await other.load(steps.id, unless: steps.version(1)) else {
                Issue.record("it should be known")
                return
            }
            guard case .moved(let record) = try await other.load(steps.id, unless: steps.version(0)) else {
                Issue.record("it should have moved")
                return
            }
            #expect(record.viewModels == ["counter": ViewModelRecord("counter", "1", at: 1)])
            try await one.delete(steps.id, at: steps.version(1))
            guard case .gone = try await other.load(steps.id, unless: steps.version(1)) else {
                Issue.record("it should be gone")
                return
            }
        }
    }

    @Test("of two commits on one version one is stored")
    func conflict() async throws {
        try await withReplicas { one, other in
            try await one.commit(steps.creation())
            try await one.commit(steps.step(from: 0))
            await #expect(throws: StoreFailure.conflict(steps.version(1))) {
                try await other.commit(steps.ofAnotherWriter(from: 0))
            }
        }
    }

    @Test("who watches is told of the other's commits, and of an end")
    func told() async throws {
        try await withReplicas { one, other in
            try await one.commit(steps.creation())
            let told = Told()
            let watch = other.watch(steps.id) { told.note($0) }
            try await one.commit(steps.step(from: 0))
            #expect(await eventually { told.has(steps.version(1)) })
            try await one.delete(steps.id, at: steps.version(1))
            #expect(await eventually { told.has(nil) })
            _ = watch
        }
    }

    @Test("a hint that is lost costs a look: the version is found all the same")
    func lostHint() async throws {
        try await withReplicas { one, other in
            try await one.commit(steps.creation())
            let told = Told()
            let watch = other.watch(steps.id) { told.note($0) }
            #expect(await eventually { told.has(steps.version(0)) })
            // As if by a replica that dies before it tells.
            let version = steps.version(1)
            let schema = one.schema
            try one.server.run(
                """
                UPDATE \(schema).sessions SET seq = 1, version = \
                decode(lpad(to_hex(\(Int64(bitPattern: version.number))), 16, '0')
                || lpad(to_hex(\(Int64(bitPattern: version.nonce))), 16, '0'), 'hex')
                """)
            #expect(await eventually { told.has(version) })
            _ = watch
        }
    }

    @Test("both say that it is the same incarnation of the store")
    func incarnation() async throws {
        try await withReplicas { one, other in
            #expect(one.store.incarnation == other.store.incarnation)
        }
    }

    @Test("a session that somebody holds stops no other, and says in time that nothing was stored")
    func held() async throws {
        var settings = Settings()
        settings.lockTimeout = .milliseconds(200)
        try await withReplicas(settings) { one, _ in
            let others = (0..<5).map { _ in Steps() }
            for steps in [steps] + others { try await one.commit(steps.creation()) }
            let holder = try Connection(
                Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; SELECT FROM sessions WHERE id = '\\x\(steps.id.rawValue)' FOR UPDATE")
            let fate = Told()
            one.store.submit(steps.step(from: 0)) { fate.note($0 == .notSent ? steps.version(1) : nil) }
            for steps in others { try await one.commit(steps.step(from: 0)) }
            #expect(await eventually { fate.has(steps.version(1)) })
            #expect(try await one.load(steps.id)?.head == steps.head(0))
            try holder.execute("ROLLBACK")
            try await one.commit(steps.step(from: 0))
        }
    }

    @Test("the end of a session that somebody holds stops no other, and is tried until it is free, or its time is over")
    func heldEnd() async throws {
        var settings = Settings()
        settings.lockTimeout = .milliseconds(400)
        try await withReplicas(settings) { one, _ in
            let others = (0..<5).map { _ in Steps() }
            for steps in [steps] + others { try await one.commit(steps.creation()) }
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            let hold = "BEGIN; SELECT FROM sessions WHERE id = '\\x\(steps.id.rawValue)' FOR UPDATE"
            try holder.execute(hold)
            async let fate = one.failure { () throws(StoreFailure) in
                try await one.delete(steps.id, at: steps.version(0))
            }
            for steps in others { try await one.commit(steps.step(from: 0)) }
            #expect(await fate == .notSent)
            #expect(try await one.load(steps.id)?.head == steps.head(0))
            try holder.execute("ROLLBACK")
            try holder.execute(hold)
            async let end: Void = one.delete(steps.id, at: steps.version(0))
            #expect(await eventually { one.measure("bindery_store_held_total") > 1 })
            try holder.execute("ROLLBACK")
            try await end
            #expect(try await one.load(steps.id) == nil)
        }
    }

    @Test("the end of a session whose version cannot be read says so, and stops no other")
    func damagedEnd() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.log = log
        try await withReplicas(settings) { one, _ in
            let other = Steps()
            for steps in [steps, other] { try await one.commit(steps.creation()) }
            try one.server.run("UPDATE \(one.schema).sessions SET version = 'x' WHERE id = '\\x\(steps.id.rawValue)'")
            let what = "a session's version cannot be read: damaged, or written by a newer Bindery"
            await #expect(throws: StoreFailure.unreadable(what)) {
                try await one.delete(steps.id, at: steps.version(0))
            }
            try await one.commit(other.step(from: 0))
            #expect(log.named("store-lost").isEmpty)
        }
    }

    /// How the server would read, whatever it is asked for: few sessions have all the keys, and most have none.
    @Test("keys are found by their session, however many others there are")
    func plans() async throws {
        try await withReplicas { one, _ in
            try await one.commit(steps.creation())
            try one.server.run(
                """
                SET search_path = \(one.schema);
                INSERT INTO sessions (id, language, beginnings, history, seq, version)
                    SELECT '\\x00' || decode(md5(n::text), 'hex'), 'en', '', '', 0, '' FROM generate_series(1, 20000) AS n;
                INSERT INTO keys (session, digest, ends, fingerprint, status, entity_tag, content_type, body)
                    SELECT s.number, decode(md5(n::text), 'hex'), 5000000000, '', 200, '', '', ''
                    FROM (SELECT number FROM sessions LIMIT 4) AS s, generate_series(1, 5000) AS n;
                ANALYZE sessions, view_models, keys
                """)
            let statements = Statements()
            for (statement, values) in [
                (statements.load, "'{}', '{}', 1"), (statements.outcomes, "'{}', '{}', 1"),
                (statements.allOutcomes, "'', 1"),
            ] {
                let plan = try one.server.run(
                    """
                    SET search_path = \(one.schema); SET plan_cache_mode = force_generic_plan;
                    PREPARE statement AS \(statement.text); EXPLAIN EXECUTE statement (\(values))
                    """)
                #expect(plan.contains("keys_pkey"), "\(plan)")
                #expect(!plan.contains("keys_ends"), "\(plan)")
            }
        }
    }

    @Test("what could not be prepared while somebody held a table is prepared when it is free")
    func unprepared() async throws {
        var settings = Settings()
        settings.lockTimeout = .milliseconds(100)
        try await withReplicas(settings) { one, _ in
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; LOCK TABLE view_models, keys IN ACCESS EXCLUSIVE MODE")
            await #expect(throws: StoreFailure.notSent) { try await one.commit(steps.creation()) }
            await #expect(throws: StoreFailure.notSent) { try await one.load(steps.id) }
            await #expect(throws: StoreFailure.notSent) {
                try await one.store.outcome(of: KeyDigest(of: "key", in: steps.id), in: steps.id)
            }
            try holder.execute("ROLLBACK")
            #expect(await eventually { (try? await one.commit(steps.creation())) != nil })
            #expect(try await one.load(steps.id)?.head == steps.head(0))
            #expect(try await one.store.outcome(of: KeyDigest(of: "key", in: steps.id), in: steps.id) == nil)
        }
    }

    @Test("one session that is damaged while it waits fails alone, and nobody is told that what is stored is not")
    func damagedInGroup() async throws {
        var settings = Settings()
        settings.lockTimeout = .seconds(30)
        try await withReplicas(settings) { one, other in
            let all = (0..<5).map { _ in Steps() }
            for steps in [steps] + all { try await one.commit(steps.creation()) }
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute(
                "BEGIN; LOCK TABLE sessions; UPDATE sessions SET version = 'x' WHERE id = '\\x\(steps.id.rawValue)'")
            // It waits for the lock, and what comes meanwhile is the next group.
            let first = Steps()
            one.store.submit(first.creation()) { _ in }
            let waits =
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE SKIP LOCKED%'"
            #expect(try await eventually { try one.server.run(waits) != "0" })
            let fates = Lock<[StoreFailure?]>([])
            let damaged = Lock<StoreFailure?>(nil)
            one.store.submit(steps.step(from: 0)) { failure in damaged.withLock { $0 = failure } }
            for steps in all {
                one.store.submit(steps.step(from: 0)) { failure in fates.withLock { $0.append(failure) } }
            }
            try holder.execute("COMMIT")
            let what = "a session's version cannot be read: damaged, or written by a newer Bindery"
            #expect(await eventually { damaged.withLock { $0 } == .unreadable(what) })
            #expect(await eventually { fates.withLock { $0.count } == 5 })
            #expect(fates.withLock { $0.allSatisfy { $0 == nil } })
            for steps in all { #expect(try await other.load(steps.id)?.head == steps.head(1)) }
        }
    }

    @Test("one session that is damaged while somebody waits for it is told of, and is no loss of the store")
    func damagedWhileWatched() async throws {
        let log = RecordedEvents()
        var settings = Settings()
        settings.lookInterval = .milliseconds(50)
        settings.log = log
        try await withReplicas(settings) { one, other in
            let sound = Steps()
            for steps in [steps, sound] { try await one.commit(steps.creation()) }
            let (told, toldSound) = (Told(), Told())
            let watches = [
                other.watch(steps.id) { told.note($0) }, other.watch(sound.id) { toldSound.note($0) },
            ]
            #expect(await eventually { told.has(steps.version(0)) && toldSound.has(sound.version(0)) })
            try one.server.run("UPDATE \(one.schema).sessions SET version = 'x' WHERE id = '\\x\(steps.id.rawValue)'")
            #expect(await eventually { told.has(CommitVersion(number: 0, nonce: 0)) })
            #expect(log.named("store-lost").isEmpty)
            _ = watches
        }
    }

    @Test("one that cannot read sessions is not ready, though it can commit")
    func unread() async throws {
        var settings = Settings()
        settings.lockTimeout = .milliseconds(100)
        try await withReplicas(settings) { one, _ in
            try await one.commit(steps.creation())
            #expect(await one.store.isReady())
            let holder = try Connection(Target(one.server.uri()), commands: "SET search_path = \(one.schema)")
            try holder.execute("BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE")
            let isReady = await one.store.isReady()
            #expect(!isReady)
            try holder.execute("ROLLBACK")
            #expect(await eventually { await one.store.isReady() })
        }
    }

    @Test("of what is stored and cannot be read it is said what it is")
    func damaged() async throws {
        try await withReplicas { one, other in
            try await one.commit(steps.creation())
            try await one.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try one.server.run("UPDATE \(one.schema).view_models SET outputs = 'nonsense'")
            let what = "what is stored of the outputs of counter cannot be read: damaged, or written by a newer Bindery"
            await #expect(throws: StoreFailure.unreadable(what)) { try await other.load(steps.id) }
            try one.server.run("UPDATE \(one.schema).sessions SET history = 'x'")
            let history = "a session's history cannot be read: damaged, or written by a newer Bindery"
            await #expect(throws: StoreFailure.unreadable(history)) { try await other.load(steps.id) }
        }
    }

    @Test("what one commit holds that the database does not take fails that one alone")
    func data() async throws {
        try await withReplicas { one, _ in
            let all = (0..<9).map { _ in Steps() }
            for steps in all { try await one.commit(steps.creation()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, steps) in all.enumerated() {
                    group.addTask {
                        let name = place == 4 ? "a\u{0}b" : "counter"
                        do throws(StoreFailure) {
                            try await one.commit(steps.step(from: 0, ViewModelRecord(name, "1", at: 1)))
                            #expect(place != 4)
                        } catch {
                            #expect(place == 4 && error == .notSent, "\(place) \(error)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
