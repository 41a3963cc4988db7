import Testing

@testable import Sessions

@Suite("A session's history")
struct SessionHistoryTests {
    private let first = SessionHistory(beginningIn: 1)

    @Test("goes on in its epoch as long as the store is the same")
    func same() {
        #expect(first.continued(at: 1, in: 1) == first)
        #expect(first.cursor(at: 0) == Cursor(epoch: first.epoch, seq: 0))
        #expect(first.cursor(at: 9) == Cursor(epoch: first.epoch, seq: 9))
    }

    @Test("begins an epoch with the first commit in another incarnation of the store")
    func other() {
        let second = first.continued(at: 5, in: 2)
        #expect(second.chapters.map(\.first) == [0, 5])
        #expect(second.epoch != first.epoch)
        #expect(second.cursor(at: 4) == first.cursor(at: 4))
        #expect(second.cursor(at: 5) == Cursor(epoch: second.epoch, seq: 5))
        #expect(second.continued(at: 6, in: 2) == second)
    }

    @Test("begins one epoch with a commit, also where the store was put back twice before that was made")
    func twice() {
        let third = first.continued(at: 5, in: 2).continued(at: 5, in: 3)
        #expect(third.chapters.map(\.first) == [0, 5])
        #expect(third.cursor(at: 4) == first.cursor(at: 4))
    }

    @Test("believes a cursor as far as its epoch reached")
    func doubt() {
        let second = first.continued(at: 5, in: 2)
        func doubt(_ epoch: Epoch, _ seq: UInt64) -> FeedAnswer.SnapshotReason? {
            second.doubt(of: Cursor(epoch: epoch, seq: seq), latest: 7)
        }
        #expect([0, 4, 5, 7].map { doubt(first.epoch, $0) } == [nil, nil, .history, .history])
        #expect([5, 7, 8].map { doubt(second.epoch, $0) } == [nil, nil, .future])
        #expect(doubt(.random(), 5) == .epoch)
    }

    @Test("a cursor from before an epoch began is none of its own")
    func before() {
        let second = first.continued(at: 5, in: 2)
        #expect(second.doubt(of: Cursor(epoch: second.epoch, seq: 4), latest: 7) == .history)
    }

    @Test("forgets the oldest epochs, and what was shown in them is named by the oldest that is left")
    func forgets() {
        var history = first
        for seq in UInt64(1)...10 { history = history.continued(at: seq, in: 100 + seq) }
        #expect(history.chapters.map(\.first) == [7, 8, 9, 10])
        #expect(history.doubt(of: first.cursor(at: 0), latest: 10) == .epoch)
        #expect(history.cursor(at: 3) == Cursor(epoch: history.chapters[0].epoch, seq: 3))
    }

    @Test("is taken back from a store only where its chapters are in order")
    func order() {
        let (one, two) = (Epoch.random(), Epoch.random())
        #expect(SessionHistory(chapters: [], incarnation: 1) == nil)
        #expect(
            SessionHistory(chapters: [.init(epoch: one, first: 2), .init(epoch: two, first: 2)], incarnation: 1) == nil)
        #expect(
            SessionHistory(chapters: [.init(epoch: one, first: 1), .init(epoch: two, first: 2)], incarnation: 1) != nil)
    }

    @Test("versions of one commit's successors are all different, also where they have one number")
    func versions() {
        let first = CommitVersion.first()
        let many = (0..<10_000).map { _ in first.next() }
        #expect(Set(many).count == 10_000)
        #expect(many.allSatisfy { $0.number == 1 })
    }
}
