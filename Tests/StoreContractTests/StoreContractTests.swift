import Sessions
import TestSupport
import Testing
import ViewModels

/// What `SessionStore` promises, over every store there is.
@Suite("The contract of a store")
struct StoreContractTests {
    private let steps = Steps()

    @Test("a session that nobody created is not there", arguments: StoreKind.allCases)
    func unknown(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            #expect(try await store.load(steps.id) == nil)
            #expect(try await store.load(.public) == nil)
        }
    }

    @Test("a created session is there: its head, its language, nothing else", arguments: StoreKind.allCases)
    func created(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation(language: .english))
            #expect(try await store.load(steps.id) == SessionRecord(head: steps.head(0), language: .english))
        }
    }

    @Test("a session cannot be created twice, and the second attempt changes nothing", arguments: StoreKind.allCases)
    func createdTwice(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            let before = try await store.load(steps.id)
            let conflict = StoreFailure.conflict(steps.version(1))
            await #expect(throws: conflict) { try await store.commit(steps.creation(language: .english)) }
            await #expect(throws: conflict) { try await store.commit(Steps(id: steps.id).creation()) }
            #expect(try await store.load(steps.id) == before)
        }
    }

    @Test("a commit on the session's base is stored whole", arguments: StoreKind.allCases)
    func atBase(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            var (counter, login) = (ViewModelRecord("counter", "1", at: 1), ViewModelRecord("login", "日本\"\\", at: 1))
            (counter.version, login.version) = (7, .max)
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, counter, login))
            let record = try #require(try await store.load(steps.id))
            #expect(record.head.seq == 1)
            #expect(record.head == steps.head(1))
            #expect(record.viewModels == ["counter": counter, "login": login])
        }
    }

    @Test("what untouched view models show is kept until a commit says otherwise", arguments: StoreKind.allCases)
    func initialDigests(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            func commit(from base: CommitVersion?, to seq: UInt64, _ marks: [UInt32]?) async throws {
                try await store.commit(
                    Commit(
                        id: steps.id, base: base, head: steps.head(seq), language: .japanese,
                        initialDigests: marks.map { InitialDigests(digests: $0) }))
            }
            try await commit(from: nil, to: 0, [0, 1, .max])
            #expect(try await store.load(steps.id)?.initialDigests.digests == [0, 1, .max])
            try await commit(from: steps.version(0), to: 1, nil)
            #expect(try await store.load(steps.id)?.initialDigests.digests == [0, 1, .max])
            try await commit(from: steps.version(1), to: 2, [7])
            try await commit(from: steps.version(2), to: 3, nil)
            #expect(try await store.load(steps.id)?.initialDigests.digests == [7])
        }
    }

    @Test("a commit that names no view model moves the session on", arguments: StoreKind.allCases)
    func empty(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0))
            #expect(try await store.load(steps.id)?.head.seq == 1)
        }
    }

    @Test("view models that a commit does not name stay as they are", arguments: StoreKind.allCases)
    func partial(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let (counter, login) = (ViewModelRecord("counter", "1", at: 1), ViewModelRecord("login", "a", at: 2))
            let newer = ViewModelRecord("counter", "2", at: 3)
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, counter))
            try await store.commit(steps.step(from: 1, login))
            #expect(try await store.load(steps.id)?.viewModels == ["counter": counter, "login": login])
            try await store.commit(steps.step(from: 2, newer))
            #expect(try await store.load(steps.id)?.viewModels == ["counter": newer, "login": login])
        }
    }

    @Test(
        "a commit on another base conflicts, is told the version there is, and stores nothing",
        arguments: StoreKind.allCases, [0, 1, 3, 1 << 40])
    func staleBase(kind: StoreKind, seq: UInt64) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.commit(steps.step(from: 1, ViewModelRecord("counter", "2", at: 2)))
            let before = try await store.load(steps.id)
            await #expect(throws: StoreFailure.conflict(steps.version(2))) {
                try await store.commit(steps.step(from: seq, ViewModelRecord("counter", "x", at: 9)))
            }
            #expect(try await store.load(steps.id) == before)
        }
    }

    @Test("a commit on another writer's commit of the same number conflicts", arguments: StoreKind.allCases)
    func otherVersion(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let theirs = steps.ofAnotherWriter(from: 0)
            try await store.commit(steps.creation())
            try await store.commit(theirs)
            await #expect(throws: StoreFailure.conflict(theirs.head.version)) {
                try await store.commit(steps.step(from: 1))
            }
            #expect(try await store.load(steps.id)?.head == theirs.head)
        }
    }

    @Test("a commit to a session that was never there says that it is gone", arguments: StoreKind.allCases)
    func neverThere(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            await #expect(throws: StoreFailure.gone) { try await store.commit(steps.step(from: 0)) }
            #expect(try await store.load(steps.id) == nil)
        }
    }

    @Test("a commit to a deleted session does not bring it back", arguments: StoreKind.allCases)
    func deleted(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.delete(steps.id, at: steps.version(0))
            await #expect(throws: StoreFailure.gone) { try await store.commit(steps.step(from: 0)) }
            #expect(try await store.load(steps.id) == nil)
        }
    }

    @Test("a deletion by who does not know the latest commit deletes nothing", arguments: StoreKind.allCases)
    func staleDeletion(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.remembrance(at: 0, RememberedOutcome("a", of: steps.id)))
            await #expect(throws: StoreFailure.conflict(steps.version(0, remembered: 1))) {
                try await store.delete(steps.id, at: steps.version(0))
            }
            #expect(try await store.load(steps.id)?.keys == 1)
            #expect(try await store.count() == 1)
        }
    }

    @Test("a deletion of what is not there is no error", arguments: StoreKind.allCases)
    func deletedTwice(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.delete(steps.id, at: steps.version(0))
            try await store.commit(steps.creation())
            try await store.delete(steps.id, at: steps.version(0))
            try await store.delete(steps.id, at: steps.version(0))
            #expect(try await store.load(steps.id) == nil)
        }
    }

    @Test("a deleted session can be created anew, and has nothing of the old one", arguments: StoreKind.allCases)
    func anew(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.delete(steps.id, at: steps.version(1))
            let second = Steps(id: steps.id)
            try await store.commit(second.creation())
            #expect(try await store.load(steps.id) == SessionRecord(head: second.head(0), language: .japanese))
        }
    }

    @Test("sessions do not touch each other", arguments: StoreKind.allCases)
    func apart(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let other = Steps()
            try await store.commit(steps.creation())
            try await store.commit(other.creation())
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", "1", at: 1)))
            try await store.delete(steps.id, at: steps.version(1))
            #expect(try await store.load(other.id) == SessionRecord(head: other.head(0), language: .japanese))
        }
    }

    @Test("numbers go as far as they can", arguments: StoreKind.allCases)
    func largeNumbers(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let last = SessionHead(
                version: CommitVersion(number: .max, nonce: .max), seq: .max,
                history: try #require(
                    SessionHistory(
                        chapters: [
                            .init(epoch: .random(), first: 0), .init(epoch: .random(), first: 1 << 63),
                            .init(epoch: .random(), first: .max),
                        ], incarnation: .max)))
            let record = ViewModelRecord("counter", "1", at: .max)
            try await store.commit(
                Commit(id: steps.id, base: nil, head: last, language: .japanese, viewModels: [record]))
            #expect(try await store.load(steps.id)?.head == last)
            #expect(try await store.load(steps.id)?.viewModels["counter"] == record)
        }
    }

    @Test("of fifty commits at once on one base one is stored, the others conflict", arguments: StoreKind.allCases)
    func race(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.commit(steps.creation())
            let outcomes = await withTaskGroup(of: (Int, StoreFailure?).self) { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            try await store.commit(
                                steps.step(from: 0, ViewModelRecord("counter", "\(number)", at: 1)))
                            return (number, nil)
                        } catch {
                            return (number, error as? StoreFailure)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = outcomes.filter { $0.1 == nil }
            try #require(winners.count == 1)
            #expect(outcomes.filter { $0.1 == .conflict(steps.version(1)) }.count == 49)
            let record = try #require(try await store.load(steps.id))
            #expect(record.head.seq == 1)
            #expect(record.viewModels["counter"] == ViewModelRecord("counter", "\(winners[0].0)", at: 1))
        }
    }

    @Test("of fifty creations at once one is stored", arguments: StoreKind.allCases)
    func creationRace(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let heads = await withTaskGroup(of: SessionHead?.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let mine = Steps(id: steps.id)
                        return (try? await store.commit(mine.creation())) == nil ? nil : mine.head(0)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(heads.compactMap { $0 } == [try await store.load(steps.id)?.head])
        }
    }

    @Test("is ready", arguments: StoreKind.allCases)
    func ready(kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let isReady = await store.isReady()
            #expect(isReady)
        }
    }
}
