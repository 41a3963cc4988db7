import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Another program writes the file")
struct OtherWriterTests {
    private let steps = Steps()

    @Test(
        "a commit on a version that the file has no longer conflicts, though this store had stored that version itself",
        arguments: SQLiteStore.Durability.allCases)
    func conflict(durability: SQLiteStore.Durability) async throws {
        try await withBench { bench in
            let store = try bench.open { $0.durability = durability }
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            // As another store would: its own commit on the same version.
            let theirs = steps.ofAnotherWriter(from: 1)
            try write(theirs, as: bench)
            await #expect(throws: StoreFailure.conflict(theirs.head.version)) {
                try await store.commit(steps.step(from: 1, ViewModelRecord("counter", "mine", at: 2)))
            }
            let record = try #require(try await store.load(steps.id))
            #expect(record.head == theirs.head)
            #expect(record.viewModels["counter"] == ViewModelRecord("counter", "1", at: 1))
            // And it goes on from there.
            let next = Commit(
                id: steps.id, base: theirs.head.version, head: steps.head(3), language: .japanese)
            try await store.commit(next)
            #expect(try await store.load(steps.id)?.head == steps.head(3))
            #expect(await eventually { bench.told == ["store-written-by-another \(bench.path)"] })
            await store.close()
        }
    }

    @Test("where it has put the file back to an older copy, what is committed next is the first of another chapter")
    func putBack() async throws {
        try await withBench { bench in
            let store = try bench.open()
            let incarnation = store.incarnation
            try await store.commit(steps.creation())
            for seq in UInt64(0)..<3 { try await store.commit(steps.step(from: seq)) }
            let copy = bench.directory + "/copy.db"
            try await SQLiteStore.backup(from: bench.path, to: copy)
            for seq in UInt64(3)..<5 { try await store.commit(steps.step(from: seq)) }
            // As `sqlite3 FILE ".restore COPY"` does.
            let other = try bench.connection()
            try other.execute(
                """
                ATTACH '\(copy)' AS copy; BEGIN IMMEDIATE; DELETE FROM main.sessions;
                INSERT INTO main.sessions SELECT * FROM copy.sessions; COMMIT
                """)
            // Of a session that nobody has in memory any more: its commit was made of what was read, and in the old one.
            await #expect(throws: StoreFailure.conflict(steps.version(3))) {
                try await store.commit(steps.step(from: 3))
            }
            #expect(store.incarnation != incarnation)
            try await store.commit(steps.step(from: 3))
            await store.close()
        }
    }

    @Test("sessions that it created or deleted are counted, and their numbers are not given again")
    func sessions() async throws {
        try await withBench { bench in
            let store = try bench.open()
            for _ in 0..<3 { try await store.commit(Steps().creation()) }
            try await store.commit(steps.creation())
            let other = try bench.connection()
            // The number that this store would give next; and the one that it gave last is free.
            try other.execute(
                "INSERT INTO sessions SELECT number + 1, 'theirs', epoch, seq, language, ends, version, history, beginnings, "
                    + "begun FROM sessions WHERE number = 4; DELETE FROM sessions WHERE number = 4")
            await #expect(throws: StoreFailure.gone) { try await store.commit(steps.step(from: 0)) }
            #expect(store.count() == 4)
            let next = Steps()
            try await store.commit(next.creation())
            #expect(try await store.load(next.id) != nil)
            #expect(store.count() == 5)
            #expect(try other.integer("SELECT count(DISTINCT number) FROM sessions") == 5)
            await store.close()
        }
    }

    @Test("outcomes that it stored under the number of a session that is gone are not deleted with that one's")
    func numbers() async throws {
        try await withBench { bench in
            let file = DatabaseFile(path: bench.path, settings: bench.settings)
            let groups = try file.open()
            func store(_ work: Work...) throws { for answer in try groups.store(work).answers { answer() } }
            try store(.commit(steps.creation(), in: file.mark.current, { _ in }))
            try store(.delete(steps.id, at: steps.version(0), { _ in }))
            let other = try bench.connection()
            try other.execute("INSERT INTO keys VALUES (1, x'00', 6000000000, x'', 200, '', '', x'')")
            try store(.deleteRemnants)
            #expect(try other.integer("SELECT count(*) FROM keys") == 1)
            groups.close()
        }
    }

    @Test("looks into the file, checkpoints of the store's own and failed groups are not taken for it")
    func alone() async throws {
        for durability in SQLiteStore.Durability.allCases {
            try await withBench { bench in
                let store = try bench.open {
                    $0.durability = durability
                    $0.checkpointPages = 5
                }
                try await store.commit(steps.creation())
                let other = try bench.connection()
                for seq in UInt64(0)..<60 {
                    let text = String(repeating: "\(seq) ", count: 500)
                    try await store.commit(steps.step(from: seq, ViewModelRecord("counter", text, at: seq + 1)))
                    #expect(try other.integer("SELECT count(*) FROM sessions") == 1)
                    try other.execute("BEGIN IMMEDIATE; UPDATE sessions SET seq = 0; ROLLBACK")
                    if seq == 30 {
                        try other.execute("BEGIN IMMEDIATE")
                        await #expect(throws: StoreFailure.notSent) {
                            try await store.commit(steps.step(from: seq + 1))
                        }
                        try other.execute("ROLLBACK")
                    }
                }
                try await SQLiteStore.backup(from: bench.path, to: bench.directory + "/copy.db")
                try await store.commit(steps.step(from: 60))
                #expect(!bench.told.contains { $0.hasPrefix("store-written-by-another") })
                await store.close()
            }
        }
    }

    /// Writes a commit by another connection, as another store would.
    private func write(_ commit: Commit, as bench: Bench) throws {
        let connection = try bench.connection()
        try connection.execute("BEGIN IMMEDIATE")
        let rows = try SessionRows(connection, now: bench.settings.now)
        let standing = try #require(try rows.standing(of: commit.id))
        try rows.write(SessionDraft(of: commit, on: standing))
        try connection.execute("COMMIT")
    }
}
