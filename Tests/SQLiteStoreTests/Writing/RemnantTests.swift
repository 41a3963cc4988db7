import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The outcomes of sessions that are gone")
struct RemnantTests {
    private let steps = Steps()

    /// Stores a session with so many outcomes.
    private func fill(_ steps: Steps, _ count: Int, in store: SQLiteStore) async throws {
        try await store.commit(steps.creation())
        for number in 0..<count {
            let outcome = RememberedOutcome("\(number)", of: steps.id)
            try await store.commit(steps.remembrance(at: 0, outcome, after: UInt64(number)))
        }
    }

    private func rows(_ bench: Bench) throws -> Int64? {
        try bench.connection().integer("SELECT count(*) FROM keys")
    }

    @Test("are deleted in batches, each a transaction of its own, and those of others stay")
    func batches() async throws {
        try await withBench { bench in
            let store = try bench.open { ($0.durability, $0.patience) = (.process, 60_000) }
            try await fill(steps, 700, in: store)
            let other = Steps()
            try await fill(other, 3, in: store)
            let before = try bench.writeAheadLog().count { $0 > 0 }
            try await store.delete(steps.id, at: steps.version(0, remembered: 700))
            #expect(try await eventually { try rows(bench) == 3 })
            // The session's own, and one for each 256 outcomes.
            #expect(try bench.writeAheadLog().count { $0 > 0 } - before == 1 + 3)
            #expect(try await store.load(other.id)?.keys == 3)
            await store.close()
        }
    }

    @Test("stay where the deletion of their session could not be stored")
    func failed() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await fill(steps, 3, in: store)
            await store.close()
            var settings = bench.settings
            settings.maximumPages = 40
            let file = DatabaseFile(path: bench.path, settings: settings)
            let groups = try file.open()
            let tooLarge = ViewModelRecord("counter", String(repeating: "1", count: 1 << 20), at: 1)
            let other = Steps()
            let group: [Work] = [
                .delete(steps.id, at: steps.version(0, remembered: 3)) { _ in },
                .commit(other.creation(), in: file.mark.current) { _ in },
                .commit(other.step(from: 0, tooLarge), in: file.mark.current) { _ in },
            ]
            #expect(throws: SQLiteFailure.self) { try groups.store(group) }
            #expect(groups.takeChores().isEmpty)
            _ = try groups.store([group[0]])
            #expect(groups.takeChores().count == 1)
            groups.close()
        }
    }

    @Test("are not a later session's, though the process ended before they were deleted")
    func interrupted() async throws {
        try await withBench { bench in
            let store = try bench.open()
            try await fill(steps, 3, in: store)
            await store.close()
            // As a process leaves it that is killed between the two.
            try bench.connection().execute("DELETE FROM sessions")
            let again = try bench.open()
            try await again.commit(steps.creation())
            #expect(try await again.load(steps.id)?.keys == 0)
            let key = KeyDigest(of: "1", in: steps.id)
            #expect(try await again.outcome(of: key, in: steps.id) == nil)
            await again.close()
        }
    }
}
