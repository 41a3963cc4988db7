import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("The contract of a store: commits that do not wait for one another")
struct PipelineTests {
    private let steps = Steps()

    @Test("steps submitted one after the other are all stored, and answered in order", arguments: StoreKind.allCases)
    func inOrder(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            for seq in 0..<500 {
                answers.submit(steps.step(from: UInt64(seq), ViewModelRecord("counter", "\(seq)", at: UInt64(seq) + 1)))
            }
            #expect(await answers.all() == Array(repeating: nil, count: 501))
            #expect(answers.order == Array(0...500))
            let record = try #require(try await store.load(steps.id))
            #expect(record.head == steps.head(500))
            #expect(record.viewModels == ["counter": ViewModelRecord("counter", "499", at: 500)])
        }
    }

    @Test("what one step leaves alone, the steps around it keep", arguments: StoreKind.allCases)
    func folded(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            answers.submit(
                steps.step(from: 0, ViewModelRecord("counter", "1", at: 1), ViewModelRecord("login", "a", at: 1)))
            answers.submit(steps.step(from: 1, ViewModelRecord("counter", "2", at: 2)))
            answers.submit(steps.step(from: 2, ViewModelRecord("profile", "b", at: 3)))
            #expect(await answers.all() == [nil, nil, nil, nil])
            let record = try #require(try await store.load(steps.id))
            #expect(
                record.viewModels == [
                    "counter": ViewModelRecord("counter", "2", at: 2), "login": ViewModelRecord("login", "a", at: 1),
                    "profile": ViewModelRecord("profile", "b", at: 3),
                ])
        }
    }

    @Test("the language is that of the latest step, among others or alone", arguments: StoreKind.allCases)
    func language(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let answers = Answers(of: store)
            answers.submit(steps.creation(language: .japanese))
            answers.submit(steps.step(from: 0, language: .english))
            #expect(await answers.all() == [nil, nil])
            #expect(try await store.load(steps.id)?.language == .english)
            // As a change of the language where nothing is shown otherwise.
            try await store.commit(
                Commit(
                    id: steps.id, base: steps.version(1), head: steps.head(1, remembered: 1), language: "de-CH",
                    initialDigests: InitialDigests(digests: [1])))
            #expect(try await store.load(steps.id)?.language == "de-CH")
            try await store.commit(steps.step(from: 1, remembered: 1, language: .japanese))
            let known = steps.version(1, remembered: 1)
            guard case .moved(let record) = try await store.load(steps.id, unless: known) else {
                Issue.record("It stands elsewhere.")
                return
            }
            #expect(record.language == .japanese)
        }
    }

    @Test("a step that fails fails those that stand on it, and nobody else", arguments: StoreKind.allCases)
    func failsThoseThatStandOnIt(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let other = Steps()
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            answers.submit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            answers.submit(steps.step(from: 5, ViewModelRecord("counter", "6", at: 6)))
            answers.submit(other.creation())
            answers.submit(steps.step(from: 6, ViewModelRecord("counter", "7", at: 7)))
            answers.submit(other.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            answers.submit(steps.step(from: 1, ViewModelRecord("counter", "2", at: 2)))
            let conflict = StoreFailure.conflict(steps.version(1))
            #expect(await answers.all() == [nil, nil, conflict, nil, conflict, nil, nil])
            #expect(try await store.load(steps.id)?.viewModels["counter"] == ViewModelRecord("counter", "2", at: 2))
            #expect(try await store.load(other.id)?.head.seq == 1)
        }
    }

    @Test("of two that stand on the same step the first is stored", arguments: StoreKind.allCases)
    func sameBase(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            answers.submit(steps.step(from: 0, ViewModelRecord("counter", "first", at: 1)))
            answers.submit(steps.step(from: 0, ViewModelRecord("counter", "second", at: 1)))
            #expect(await answers.all() == [nil, nil, .conflict(steps.version(1))])
            #expect(try await store.load(steps.id)?.viewModels["counter"] == ViewModelRecord("counter", "first", at: 1))
        }
    }

    /// The line of one writer, and of another who came first with a commit of the same number.
    @Test("what stands on a step that was not stored is not stored either", arguments: StoreKind.allCases)
    func standsOnWhatFailed(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let theirs = steps.ofAnotherWriter(from: 0)
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            answers.submit(theirs)
            for seq in UInt64(0)..<3 { answers.submit(steps.step(from: seq)) }
            let conflict = StoreFailure.conflict(theirs.head.version)
            #expect(await answers.all() == [nil, nil, conflict, conflict, conflict])
            #expect(try await store.load(steps.id)?.head == theirs.head)
        }
    }

    @Test("a step may begin another chapter of the history", arguments: StoreKind.allCases)
    func chapter(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let history = try #require(
                SessionHistory(
                    chapters: steps.history.chapters + [.init(epoch: .random(), first: 2)], incarnation: 7))
            let head = SessionHead(version: steps.version(2), seq: 2, history: history)
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0))
            try await store.commit(Commit(id: steps.id, base: steps.version(1), head: head, language: .japanese))
            #expect(try await store.load(steps.id)?.head == head)
        }
    }

    @Test("a deletion takes its turn among the steps", arguments: StoreKind.allCases)
    func deletion(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let second = Steps(id: steps.id)
            let answers = Answers(of: store)
            answers.submit(steps.creation())
            answers.submit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.delete(steps.id, at: steps.version(1))
            answers.submit(steps.step(from: 1))
            answers.submit(second.creation())
            answers.submit(second.step(from: 0))
            #expect(await answers.all() == [nil, nil, .gone, nil, nil])
            #expect(
                try await store.load(steps.id) == SessionRecord(head: second.head(1), language: .japanese))
        }
    }

    @Test("steps of many sessions at once, none waiting for another, are all stored", arguments: StoreKind.allCases)
    func manySessions(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let sessions = (0..<40).map { _ in Steps() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for steps in sessions {
                    group.addTask {
                        let answers = Answers(of: store)
                        answers.submit(steps.creation())
                        for seq in 0..<25 {
                            answers.submit(
                                steps.step(from: UInt64(seq), ViewModelRecord("counter", "\(seq)", at: UInt64(seq) + 1))
                            )
                        }
                        let failures = await answers.all().compactMap { $0 }
                        #expect(failures.isEmpty)
                    }
                }
                try await group.waitForAll()
            }
            for steps in sessions { #expect(try await store.load(steps.id)?.head.seq == 25) }
            #expect(try await store.count() == 40)
        }
    }
}
