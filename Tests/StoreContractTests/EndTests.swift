import Sessions
import TestSupport
import Testing

@Suite("The contract of a store: sessions end")
struct EndTests {
    private let steps = Steps()

    @Test("a session is not found once its end has come", arguments: StoreKind.allCases)
    func notFound(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            timeOfDay.advance(by: 9)
            #expect(try await store.load(steps.id)?.end == timeOfDay.after(1))
            timeOfDay.advance(by: 1)
            #expect(try await store.load(steps.id) == nil)
        }
    }

    @Test("a session without an end is always found", arguments: StoreKind.allCases)
    func never(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation())
            timeOfDay.advance(by: 1 << 40)
            #expect(try await store.load(steps.id) != nil)
            #expect(try await store.deleteEnded(by: timeOfDay.now, limit: 10).count == 0)
        }
    }

    @Test("a session whose end has come is in nobody's way", arguments: StoreKind.allCases)
    func anew(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let second = Steps(id: steps.id)
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            try await store.commit(
                steps.step(from: 0, ViewModelRecord("counter", "1", at: 1), end: timeOfDay.after(10)))
            timeOfDay.advance(by: 10)
            try await store.commit(second.creation())
            #expect(try await store.load(steps.id) == SessionRecord(head: second.head(0), language: .japanese))
            #expect(try await store.count() == 1)
        }
    }

    @Test("a step moves the end, or takes it away", arguments: StoreKind.allCases)
    func moved(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            try await store.commit(steps.step(from: 0, end: timeOfDay.after(20)))
            #expect(try await store.load(steps.id)?.end == timeOfDay.after(20))
            try await store.commit(steps.step(from: 1))
            #expect(try await store.load(steps.id)?.end == nil)
        }
    }

    @Test(
        "a step brings no end forward, as by a clock that was set back, and gives none to a session that has none",
        arguments: StoreKind.allCases)
    func setBack(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let (one, many, endless) = (Steps(), Steps(), Steps())
            try await store.commit(one.creation(end: timeOfDay.after(40)))
            try await store.commit(one.step(from: 0, end: timeOfDay.after(30)))
            #expect(try await store.load(one.id)?.end == timeOfDay.after(40))
            try await store.touch([one.id: timeOfDay.after(60)])
            try await store.commit(one.step(from: 1, end: timeOfDay.after(50)))
            #expect(try await store.load(one.id)?.end == timeOfDay.after(60))
            #expect(try await store.deleteEnded(by: timeOfDay.after(55), limit: 9) == [])
            // Also where they come at once.
            let answers = Answers(of: store)
            answers.submit(many.creation(end: timeOfDay.after(10)))
            for seq in UInt64(0)..<20 {
                answers.submit(many.step(from: seq, end: timeOfDay.after(seq == 7 ? 40 : Int64(20 - seq))))
            }
            #expect(await answers.all().allSatisfy { $0 == nil })
            #expect(try await store.load(many.id)?.end == timeOfDay.after(40))
            try await store.commit(endless.creation())
            try await store.commit(endless.step(from: 0, end: timeOfDay.after(30)))
            #expect(try await store.load(endless.id)?.end == nil)
        }
    }

    @Test("a touch puts the end off, also of many, also of those that are not there", arguments: StoreKind.allCases)
    func touched(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let others = [Steps(), Steps()]
            for steps in [steps] + others {
                try await store.commit(steps.creation(end: timeOfDay.after(10)))
                try await store.commit(steps.step(from: 0, end: timeOfDay.after(10)))
            }
            let ends = [
                steps.id: timeOfDay.after(30), others[0].id: timeOfDay.after(40), Steps().id: timeOfDay.after(50),
            ]
            try await store.touch(ends)
            try await store.touch([:])
            #expect(try await store.load(steps.id)?.end == timeOfDay.after(30))
            #expect(try await store.load(others[0].id)?.end == timeOfDay.after(40))
            #expect(try await store.load(others[1].id)?.end == timeOfDay.after(10))
            #expect(try await store.count() == 3)
            // It is no step: whoever commits next stands where he stood.
            try await store.commit(steps.step(from: 1, end: timeOfDay.after(60)))
            #expect(try await store.load(steps.id)?.end == timeOfDay.after(60))
        }
    }

    @Test("a touch brings no end forward, and gives none to a session that has none", arguments: StoreKind.allCases)
    func lateTouch(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let (steps, endless) = (Steps(), Steps())
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            try await store.commit(endless.creation(end: nil))
            try await store.touch([steps.id: timeOfDay.after(40), endless.id: timeOfDay.after(40)])
            try await store.touch([steps.id: timeOfDay.after(30)])
            #expect(try await store.load(steps.id)?.end == timeOfDay.after(40))
            #expect(try await store.load(endless.id)?.end == nil)
            #expect(try await store.deleteEnded(by: timeOfDay.after(35), limit: 9) == [])
        }
    }

    @Test("those whose end has come are deleted in batches, and nobody else", arguments: StoreKind.allCases)
    func batches(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let ended = (0..<25).map { _ in Steps() }
            let living = (0..<5).map { _ in Steps() }
            for steps in ended { try await store.commit(steps.creation(end: timeOfDay.after(10))) }
            for steps in living { try await store.commit(steps.creation(end: timeOfDay.after(11))) }
            try await store.commit(Steps().creation())
            timeOfDay.advance(by: 10)
            var deleted: [[SessionID]] = []
            for _ in 0..<3 { deleted.append(try await store.deleteEnded(by: timeOfDay.now, limit: 10)) }
            #expect(deleted.map(\.count) == [10, 10, 5])
            #expect(Set(deleted.joined()) == Set(ended.map(\.id)))
            #expect(try await store.deleteEnded(by: timeOfDay.now, limit: 10).count == 0)
            #expect(try await store.count() == 6)
            for steps in living { #expect(try await store.load(steps.id) != nil) }
            await #expect(throws: StoreFailure.gone) { try await store.commit(ended[0].step(from: 0)) }
        }
    }

    @Test("the count follows creations, deletions and ends", arguments: StoreKind.allCases)
    func count(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            #expect(try await store.count() == 0)
            try await store.commit(steps.creation(end: timeOfDay.after(1)))
            try await store.commit(steps.step(from: 0, end: timeOfDay.after(1)))
            try await store.commit(Steps().creation())
            try? await store.commit(steps.creation())
            #expect(try await store.count() == 2)
            try await store.delete(Steps().id, at: steps.version(0))
            #expect(try await store.count() == 2)
            timeOfDay.advance(by: 1)
            #expect(try await store.deleteEnded(by: timeOfDay.now, limit: 10).count == 1)
            #expect(try await store.count() == 1)
        }
    }
}
