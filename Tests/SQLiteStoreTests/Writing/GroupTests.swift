import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("A group of commits")
struct GroupTests {
    private let steps = Steps()

    @Test("folds a session's commits into one draft, which has the latest of everything")
    func fold() throws {
        var fold = Fold()
        fold.take(steps.creation(), on: nil, orAs: 5)
        for seq in UInt64(0)..<64 {
            #expect(fold.standing(of: steps.id)?.head == steps.head(seq))
            let counter = ViewModelRecord("counter", "\(seq)", at: seq + 1)
            let step = steps.step(
                from: seq, counter, language: seq < 63 ? "de" : .english,
                outcome: RememberedOutcome("\(seq)", of: steps.id))
            fold.take(step, on: fold.standing(of: steps.id), orAs: 6)
        }
        #expect(fold.drafts.count == 1)
        let draft = try #require(fold.drafts.first)
        #expect(draft.before == nil)
        #expect(draft.language == .english)
        #expect(draft.standing.number == 5)
        #expect(draft.standing.head == steps.head(64))
        #expect(draft.viewModels == [ViewModelRecord("counter", "63", at: 64)])
        #expect(draft.outcomes == (0..<64).map { RememberedOutcome("\($0)", of: steps.id) })
    }

    @Test("of a session's commits is written once: the log grows by a few pages, not by a few for each")
    func writtenOnce() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.patience = 60_000 }
            try await store.commit(steps.creation())
            let before = try #require(try bench.contents()["bindery.db-wal"]).count
            // While another connection holds the lock, the steps gather before the writer.
            let lock = try bench.connection()
            try lock.execute("BEGIN IMMEDIATE")
            let answers = History<StoreFailure?>()
            for seq in UInt64(0)..<1000 {
                store.submit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1))) {
                    answers.note($0)
                }
            }
            try lock.execute("ROLLBACK")
            #expect(await eventually { answers.elements.count == 1000 })
            #expect(answers.elements.allSatisfy { $0 == nil })
            // Two groups at most: one that the writer began with at once, and one of all that came meanwhile.
            let growth = try #require(try bench.contents()["bindery.db-wal"]).count - before
            #expect(growth <= 8 * (4096 + 24))
            await store.close()
        }
    }

    @Test("is checkpointed when the log has grown, and the log is used again")
    func checkpoint() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.checkpointPages = 20 }
            try await store.commit(steps.creation())
            for seq in UInt64(0)..<200 {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1)))
            }
            let pages = try #require(try bench.contents()["bindery.db-wal"]).count / (4096 + 24)
            #expect(pages <= 30)
            #expect(try await store.load(steps.id)?.head.seq == 200)
            await store.close()
        }
    }

    @Test("is checkpointed while commits go on, and the log is begun anew, also by another thread")
    func checkpointBeside() async throws {
        try await withBench { bench in
            let store = try bench.open {
                $0.durability = .process
                $0.checkpointPages = 20
            }
            try await store.commit(steps.creation())
            var seq: UInt64 = 0
            // How often the log was begun is in its header (https://sqlite.org/fileformat.html#the_write_ahead_log).
            func beginnings() throws -> UInt8? { try bench.contents()["bindery.db-wal"]?[15] }
            let first = try #require(try beginnings())
            let isBegunAnew = try await eventually {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1)))
                seq += 1
                return try #require(try beginnings()) > first + 2
            }
            #expect(isBegunAnew)
            #expect(try await store.load(steps.id)?.head.seq == seq)
            await store.close()
            let again = try bench.open()
            #expect(try await again.load(steps.id)?.head.seq == seq)
            await again.close()
        }
    }

    @Test("does not wait for a reader that holds on to the log, which then grows")
    func heldLog() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.checkpointPages = 20 }
            try await store.commit(steps.creation())
            let reader = try Connection(path: bench.path, .read, patience: 0)
            try reader.execute("BEGIN")
            #expect(try reader.integer("SELECT count(*) FROM sessions") == 1)
            for seq in UInt64(0)..<100 {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "\(seq)", at: seq + 1)))
            }
            #expect(try reader.integer("SELECT count(*) FROM view_models") == 0)
            try reader.execute("COMMIT")
            #expect(try reader.integer("SELECT count(*) FROM view_models") == 1)
            await store.close()
        }
    }

    @Test("is bounded: what is more than a group holds comes in the next")
    func bounded() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.groupLimit = 3 }
            let answers = History<StoreFailure?>()
            store.submit(steps.creation()) { answers.note($0) }
            for seq in UInt64(0)..<50 { store.submit(steps.step(from: seq)) { answers.note($0) } }
            await store.close()
            #expect(answers.elements.count == 51)
            #expect(answers.elements.allSatisfy { $0 == nil })
        }
    }

    @Test("knows how sessions stand without reading, and reads what it no longer knows")
    func forgotten() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.knownSessions = 4 }
            let sessions = (0..<30).map { _ in Steps() }
            for steps in sessions {
                try await store.commit(steps.creation())
                try await store.commit(steps.remembrance(at: 0, RememberedOutcome("a", of: steps.id)))
            }
            for steps in sessions {
                try await store.commit(steps.remembrance(at: 0, RememberedOutcome("b", of: steps.id), after: 1))
                #expect(try await store.load(steps.id)?.keys == 2)
                await #expect(throws: StoreFailure.conflict(steps.version(0, remembered: 2))) {
                    try await store.commit(steps.step(from: 1))
                }
            }
            await store.close()
        }
    }
}
