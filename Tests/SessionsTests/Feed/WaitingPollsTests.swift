import Testing

@testable import Sessions

@Suite("WaitingPolls")
struct WaitingPollsTests {
    /// Lets polls wait, does something with them, and answers all of them with the number they are taken out in.
    private func wait(
        _ kinds: [WaitKind], limit: Int, queries: [FeedQuery] = [],
        then act: (inout WaitingPolls) -> [WaitingPolls.Poll]
    ) -> [Int] {
        var polls = WaitingPolls()
        var taken: [WaitingPolls.Poll] = []
        var numbers: [Int] = []
        for (index, kind) in kinds.enumerated() {
            let query = queries.isEmpty ? FeedQuery() : queries[index]
            let poll = WaitingPolls.Poll(query: query, isSupersedable: kind == .poll, deadline: nil) { _ in }
            if let superseded = polls.add(poll, as: UInt64(index + 1), limit: limit) { taken.append(superseded) }
        }
        taken += act(&polls)
        let rest = polls.removeAll()
        for poll in taken { numbers.append(Int(poll.deadline ?? 0)) }
        for poll in taken + rest { poll.answer(.ended) }
        return numbers
    }

    @Test("one long-poll too many takes out the oldest long-poll, not a stream")
    func superseded() {
        var ids: [Int] = []
        _ = wait([.stream, .poll, .poll, .poll], limit: 2) { polls in
            ids = (1...4).filter { polls.setDeadline(9, for: UInt64($0)) }
            return []
        }
        #expect(ids == [1, 3, 4])
    }

    @Test("a poll that is gone makes room")
    func room() {
        _ = wait([.poll, .poll], limit: 2) { polls in
            let gone = polls.remove(1)
            let again = polls.remove(1)
            #expect(again == nil)
            #expect(polls.count == 1)
            return [gone].compactMap { $0 }
        }
    }

    @Test("those whom a commit satisfies are taken out oldest first, the others stay")
    func satisfied() {
        let wanted = FeedQuery(includesValues: false)
        let order = wait(
            [.poll, .stream, .poll, .poll], limit: 8, queries: [wanted, FeedQuery(), wanted, wanted]
        ) {
            polls in
            for id in 1...4 as ClosedRange<UInt64> { _ = polls.setDeadline(id, for: id) }
            let satisfied = polls.removeAll { $0 == wanted }
            #expect(polls.count == 1)
            return satisfied
        }
        #expect(order == [1, 3, 4])
    }

    @Test("a deadline for a wait that is over is not taken")
    func lateDeadline() {
        var polls = WaitingPolls()
        let isTaken = polls.setDeadline(1, for: 1)
        #expect(!isTaken)
        #expect(polls.isEmpty)
    }
}
