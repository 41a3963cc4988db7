import Sessions
import TestSupport
import Testing

@Suite("The contract of a store: remembered outcomes")
struct OutcomeTests {
    private let steps = Steps()

    private func outcome(_ key: String, status: Int = 200, end: TimeOfDay? = nil) -> RememberedOutcome {
        end.map { RememberedOutcome(key, of: steps.id, status: status, end: $0) }
            ?? RememberedOutcome(key, of: steps.id, status: status)
    }

    private func found(_ key: String, in store: any SessionStore) async throws -> RememberedOutcome? {
        try await store.outcome(of: KeyDigest(of: key, in: steps.id), in: steps.id)
    }

    @Test(
        "an outcome is stored with the step that made it, to the last byte, and found by its key",
        arguments: StoreKind.allCases)
    func stored(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let bytes = RememberedOutcome(
                key: KeyDigest(of: "k", in: steps.id), fingerprint: [0xff, 0], status: 409, entityTag: "",
                contentType: "application/problem+json", body: [0, 0xff, 0x22, 0x0a],
                end: TimeOfDay(secondsSince1970: .max))
            let empty = RememberedOutcome("empty", of: steps.id, status: 204, body: "")
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1), outcome: bytes))
            try await store.commit(steps.step(from: 1, outcome: empty))
            #expect(try await found("k", in: store) == bytes)
            #expect(try await found("empty", in: store) == empty)
            #expect(try await found("another", in: store) == nil)
            #expect(try await store.load(steps.id)?.keys == 2)
            #expect(try await store.load(steps.id)?.keyBytes == bytes.body.count)
        }
    }

    @Test(
        "a key is its session's: under another, or one that is not there, it is not found",
        arguments: StoreKind.allCases)
    func otherSession(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let other = Steps()
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, outcome("a")))
            #expect(try await store.outcome(of: outcome("a").key, in: other.id) == nil)
            try await store.commit(other.creation())
            #expect(try await store.outcome(of: outcome("a").key, in: other.id) == nil)
            #expect(try await store.load(other.id)?.keys == 0)
        }
    }

    @Test("a step may only remember: the session stays where it is", arguments: StoreKind.allCases)
    func alone(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.commit(steps.remembrance(at: 1, outcome("a")))
            try await store.commit(steps.step(from: 1, remembered: 1, ViewModelRecord("counter", "2", at: 2)))
            #expect(try await store.load(steps.id)?.head == steps.head(2))
            #expect(try await found("a", in: store) == outcome("a"))
        }
    }

    @Test("an outcome on another base conflicts and is not remembered", arguments: StoreKind.allCases)
    func staleBase(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0))
            await #expect(throws: StoreFailure.conflict(steps.version(1))) {
                try await store.commit(steps.remembrance(at: 0, outcome("a")))
            }
            #expect(try await found("a", in: store) == nil)
            #expect(try await store.load(steps.id)?.keys == 0)
        }
    }

    @Test(
        "what is remembered moves the version: who looked for the key before conflicts, and does not store it twice",
        arguments: StoreKind.allCases)
    func movesTheVersion(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            #expect(try await found("a", in: store) == nil)
            try await store.commit(steps.remembrance(at: 0, outcome("a")))
            let conflict = StoreFailure.conflict(steps.version(0, remembered: 1))
            await #expect(throws: conflict) {
                try await store.commit(steps.remembrance(at: 0, outcome("a", status: 409)))
            }
            await #expect(throws: conflict) { try await store.commit(steps.step(from: 0, outcome: outcome("a"))) }
            #expect(try await found("a", in: store) == outcome("a"))
            #expect(try await store.load(steps.id)?.keys == 1)
        }
    }

    @Test("none is forgotten because others come, one after the other or all at once", arguments: StoreKind.allCases)
    func many(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            for count in 0..<300 {
                let remembrance = steps.remembrance(at: 0, outcome("\(count)"), after: UInt64(count))
                if count < 7 { try await store.commit(remembrance) } else { answers.submit(remembrance) }
            }
            #expect(await answers.all().allSatisfy { $0 == nil })
            #expect(try await store.load(steps.id)?.keys == 300)
            for count in 0..<300 { #expect(try await found("\(count)", in: store) == outcome("\(count)")) }
        }
    }

    @Test("an outcome is found until its end, and counted as long", arguments: StoreKind.allCases)
    func expiry(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let short = outcome("a", end: timeOfDay.after(10))
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, short))
            try await store.commit(steps.remembrance(at: 0, outcome("b", end: timeOfDay.after(20)), after: 1))
            timeOfDay.advance(by: 9)
            #expect(try await found("a", in: store) == short)
            #expect(try await store.load(steps.id)?.keys == 2)
            timeOfDay.advance(by: 1)
            #expect(try await found("a", in: store) == nil)
            #expect(try await found("b", in: store) != nil)
            #expect(try await store.load(steps.id)?.keys == 1)
        }
    }

    @Test("a key that is used again after its end has one outcome, the new one", arguments: StoreKind.allCases)
    func usedAgain(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, outcome("a", end: timeOfDay.after(10))))
            timeOfDay.advance(by: 10)
            let second = outcome("a", status: 409, end: timeOfDay.after(10))
            try await store.commit(steps.remembrance(at: 0, second, after: 1))
            #expect(try await found("a", in: store) == second)
            #expect(try await store.load(steps.id)?.keys == 1)
            #expect(try await store.deleteEndedOutcomes(by: timeOfDay.now, limit: 10) == 0)
        }
    }

    @Test("those that have ended are deleted, so many at a time, and no others", arguments: StoreKind.allCases)
    func swept(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let other = Steps()
            for steps in [steps, other] {
                try await store.commit(steps.creation())
                for count in 0..<15 {
                    let outcome = RememberedOutcome("\(count)", of: steps.id, end: timeOfDay.after(Int64(count)))
                    try await store.commit(steps.remembrance(at: 0, outcome, after: UInt64(count)))
                }
            }
            timeOfDay.advance(by: 11)
            var counts: [Int] = []
            for _ in 0..<4 { counts.append(try await store.deleteEndedOutcomes(by: timeOfDay.now, limit: 10)) }
            #expect(counts == [10, 10, 4, 0])
            for steps in [steps, other] {
                #expect(try await store.load(steps.id)?.keys == 3)
                let key = KeyDigest(of: "12", in: steps.id)
                #expect(try await store.outcome(of: key, in: steps.id) != nil)
            }
        }
    }

    @Test(
        "a session's outcomes go with it, deleted or ended, and are not its successor's",
        arguments: StoreKind.allCases, [false, true])
    func gone(kind: StoreKind, hasEnded: Bool) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            try await store.commit(steps.step(from: 0, end: timeOfDay.after(10), outcome: outcome("a")))
            if hasEnded {
                timeOfDay.advance(by: 10)
                // An action that was begun before puts off the end, and has not to be done twice.
                #expect(try await found("a", in: store) != nil)
                _ = try await store.deleteEnded(by: timeOfDay.now, limit: 10)
            } else {
                try await store.delete(steps.id, at: steps.version(1))
            }
            #expect(try await found("a", in: store) == nil)
            try await store.commit(steps.creation())
            #expect(try await found("a", in: store) == nil)
            #expect(try await store.load(steps.id)?.keys == 0)
        }
    }
}
