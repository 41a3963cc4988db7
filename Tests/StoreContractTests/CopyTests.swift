import Sessions
import StandIns
import TestSupport
import Testing

@Suite("Copying one store into another")
struct CopyTests {
    private let steps = Steps()

    @Test(
        "takes sessions with all that is theirs, and histories by which cursors are known",
        arguments: StoreKind.allCases, StoreKind.allCases)
    func whole(from: StoreKind, to: StoreKind) async throws {
        try await withStores(from, to) { source, target, timeOfDay in
            let (endless, over) = (Steps(), Steps())
            try await source.commit(steps.creation(language: .english, end: timeOfDay.after(100)))
            try await source.commit(
                steps.step(
                    from: 0, ViewModelRecord("counter", "1", at: 1), ViewModelRecord("login", "", at: 1),
                    end: timeOfDay.after(100), outcome: RememberedOutcome("a", of: steps.id)))
            try await source.commit(steps.remembrance(at: 1, RememberedOutcome("b", of: steps.id)))
            try await source.commit(endless.creation())
            try await source.commit(over.creation(end: timeOfDay.after(5)))
            timeOfDay.advance(by: 10)
            let (sessions, outcomes) = try await source.copy(to: target, as: "the source")
            #expect(sessions == 2)
            #expect(outcomes == 2)
            for steps in [steps, endless] {
                let (old, new) = try (
                    #require(await source.load(steps.id)), #require(await target.load(steps.id))
                )
                #expect(new.head.seq == old.head.seq && new.head.history == old.head.history)
                #expect(new.viewModels == old.viewModels && new.end == old.end && new.language == old.language)
                #expect(new.keys == old.keys && new.initialDigests == old.initialDigests)
            }
            for key in ["a", "b"] {
                let outcome = RememberedOutcome(key, of: steps.id)
                #expect(try await target.outcome(of: outcome.key, in: steps.id) == outcome)
            }
            #expect(
                try await Set(target.sessions(after: 0, limit: 9).map(\.begun))
                    == Set(source.sessions(after: 0, limit: 2).map(\.begun)))
        }
    }

    @Test("is refused where the other has sessions")
    func notEmpty() async throws {
        try await withStores(.memory, .memory) { source, target, _ in
            try await target.commit(steps.creation())
            await #expect(throws: CopyFailure.notEmpty) { try await source.copy(to: target, as: "the source") }
        }
    }

    @Test(
        "broken off leaves a part, which nobody serves or copies; asked for again it begins anew",
        arguments: StoreKind.durable)
    func brokenOff(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory async throws in
            func open(for purpose: StorePurpose) throws -> any CopiedStore {
                try #require(kind.open(in: directory, StoppedClock(), for: purpose) as? any CopiedStore)
            }
            let source = ScriptedStore()
            for _ in 0..<300 { try await source.commit(Steps().creation()) }
            for _ in 0..<256 { source.next(.load, .after {}) }
            source.next(.load, .refuse)
            let target = try open(for: .target)
            await #expect(throws: CopyFailure.source(.notSent)) { try await source.copy(to: target, as: "the source") }
            #expect(try await target.count() >= 256)
            await target.close()

            for purpose in [StorePurpose.service, .source] {
                let error = #expect(throws: (any Error).self) { try open(for: purpose) }
                #expect(error.map { "\($0)".contains("a part of the source alone") } == true)
            }
            let again = try open(for: .target)
            #expect(try await again.count() == 0)
            #expect(try await source.copy(to: again, as: "the source").sessions == 300)
            await again.close()

            let served = try open(for: .service)
            #expect(try await served.count() == 300)
            await served.close()
        }
    }

    @Test("tells how far it is")
    func progress() async throws {
        let source = MemoryStore()
        for _ in 0..<300 { try await source.commit(Steps().creation()) }
        var told: [Int] = []
        _ = try await source.copy(to: MemoryStore(), as: "the source") { told.append($0) }
        #expect(told == [256, 300])
    }

    private func withStores(
        _ from: StoreKind, _ to: StoreKind,
        _ body: (any CopiedStore, any CopiedStore, StoppedClock) async throws -> Void
    ) async throws {
        try await from.withStore { source, timeOfDay in
            try await to.withStore { target, _ in
                let (source, target) = try (
                    #require(source as? any CopiedStore), #require(target as? any CopiedStore)
                )
                try await body(source, target, timeOfDay)
            }
        }
    }
}

extension ScriptedStore: CopiedStore {
    /// None: it keeps none apart.
    public func outcomes(of id: SessionID) -> [RememberedOutcome] { [] }
}
