import Sessions
import TestSupport
import Testing

@Suite("The contract of a store: remembered outcomes")
struct OutcomeTests {
    private let steps = Steps()

    @Test("an outcome is stored with the step that made it, to the last byte", arguments: StoreKind.allCases)
    func stored(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let outcome = RememberedOutcome(
                key: "k", fingerprint: "f", status: 409, entityTag: "", contentType: "application/problem+json",
                body: [0, 0xff, 0x22, 0x0a])
            let empty = RememberedOutcome("empty", status: 204, body: "")
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1), outcome: outcome))
            try await store.commit(steps.step(from: 1, outcome: empty))
            #expect(try await store.load(steps.id)?.outcomes == [outcome, empty])
        }
    }

    @Test("a step may only remember: the session stays where it is", arguments: StoreKind.allCases)
    func alone(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.commit(steps.remembrance(at: 1, RememberedOutcome("a")))
            try await store.commit(steps.step(from: 1, remembered: 1, ViewModelRecord("counter", "2", at: 2)))
            let record = try #require(try await store.load(steps.id))
            #expect(record.head == steps.head(2))
            #expect(record.outcomes == [RememberedOutcome("a")])
        }
    }

    @Test("an outcome on another base conflicts and is not remembered", arguments: StoreKind.allCases)
    func staleBase(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0))
            await #expect(throws: StoreFailure.conflict(steps.version(1))) {
                try await store.commit(steps.remembrance(at: 0, RememberedOutcome("a")))
            }
            #expect(try await store.load(steps.id)?.outcomes == [])
        }
    }

    @Test("what is remembered moves the version: who did not know of it conflicts", arguments: StoreKind.allCases)
    func movesTheVersion(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, RememberedOutcome("a")))
            let conflict = StoreFailure.conflict(steps.version(0, remembered: 1))
            await #expect(throws: conflict) { try await store.commit(steps.remembrance(at: 0, RememberedOutcome("b"))) }
            await #expect(throws: conflict) { try await store.commit(steps.step(from: 0)) }
            #expect(try await store.load(steps.id)?.outcomes == [RememberedOutcome("a")])
        }
    }

    @Test("the latest are kept, the oldest first; beyond that the oldest are forgotten", arguments: StoreKind.allCases)
    func trimmed(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let outcomes = (0..<(2 * RememberedOutcome.kept + 7)).map { RememberedOutcome("key-\($0)") }
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            // One after the other, and then all at once.
            for (count, outcome) in outcomes.enumerated() {
                let remembrance = steps.remembrance(at: 0, outcome, after: UInt64(count))
                if count < 7 { try await store.commit(remembrance) } else { answers.submit(remembrance) }
            }
            #expect(await answers.all().allSatisfy { $0 == nil })
            #expect(try await store.load(steps.id)?.outcomes == Array(outcomes.suffix(RememberedOutcome.kept)))
        }
    }

    @Test("a deleted session's outcomes are not its successor's", arguments: StoreKind.allCases)
    func deleted(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, RememberedOutcome("a")))
            try await store.delete(steps.id, at: steps.version(0, remembered: 1))
            try await store.commit(steps.creation())
            #expect(try await store.load(steps.id)?.outcomes == [])
        }
    }
}
