import Testing

@testable import Sessions

@Suite("Waits of one session")
struct WaitsTests {
    private static let outcome = Waits.Outcome.ended
    private static let values = FeedQuery()
    private static let bells = FeedQuery(includesValues: false)

    private func poll(_ number: UInt64, _ kind: WaitKind = .poll) -> Waits.Wait {
        Waits.Wait(number: number, isSupersedable: kind == .poll, deadline: nil) { _ in }
    }

    private func waiting(_ kinds: [WaitKind], limit: Int = 8) -> Waits {
        var polls = Waits()
        for (index, kind) in kinds.enumerated() {
            _ = polls.add(poll(UInt64(index + 1), kind), for: Self.values, limit: limit)
        }
        return polls
    }

    private func numbers(_ told: [Waits.Ended]) -> [UInt64] { told.flatMap(\.waits).map(\.number) }

    @Test("one long-poll too many takes out the oldest long-poll, not a stream")
    func superseded() {
        var polls = waiting([.stream, .poll, .poll], limit: 2)
        let superseded = polls.add(poll(4), for: Self.bells, limit: 2)
        #expect(superseded?.wait.number == 2)
        #expect(Set(numbers(polls.removeAll(telling: Self.outcome))) == [1, 3, 4])
    }

    @Test("a poll that is gone makes room")
    func room() {
        var polls = waiting([.poll, .poll], limit: 2)
        let gone = polls.remove(1, for: Self.values)
        let again = polls.remove(1, for: Self.values)
        let superseded = polls.add(poll(3), for: Self.values, limit: 2)
        #expect(gone?.number == 1)
        #expect(again == nil)
        #expect(superseded == nil)
        #expect(polls.count == 2)
    }

    @Test("the oldest is found among thousands that came and went")
    func comingAndGoing() {
        var polls = waiting([.poll])
        for number in 2...5000 as ClosedRange<UInt64> {
            _ = polls.add(poll(number), for: number % 2 == 0 ? Self.values : Self.bells, limit: 8)
            let gone = number > 4 ? number - 3 : 0
            _ = polls.remove(gone, for: gone % 2 == 0 ? Self.values : Self.bells)
        }
        // All but 1 and the last three are gone; 2, 3 and 4 were taken out on the way.
        let before = polls.count
        let superseded = polls.add(poll(5001), for: Self.values, limit: before)
        #expect(superseded?.wait.number == 1)
    }

    @Test("those with an answer are taken out oldest first, the others stay and keep their deadlines")
    func satisfied() {
        var polls = waiting([.poll, .stream, .poll])
        _ = polls.add(poll(4), for: Self.bells, limit: 8)
        let told = polls.removeAll { $0 == Self.values ? Self.outcome : nil }
        #expect(numbers(told) == [1, 2, 3])
        #expect(polls.count == 1)
        let isWaiting = polls.setDeadline(DeadlineKey(tick: 1, number: 1), of: 4, for: Self.bells)
        #expect(isWaiting)
        #expect(polls.remove(4, for: Self.bells)?.deadline?.number == 1)
        #expect(polls.isEmpty)
    }

    @Test("nobody stays where all are told")
    func everybody() {
        var polls = waiting([.poll, .stream])
        _ = polls.add(poll(3), for: Self.bells, limit: 8)
        #expect(Set(numbers(polls.removeAll(telling: Self.outcome))) == [1, 2, 3])
        #expect(polls.isEmpty)
        let superseded = polls.add(poll(4), for: Self.values, limit: 1)
        #expect(superseded == nil)
    }

    @Test("a deadline for a wait that is over is not taken")
    func lateDeadline() {
        var polls = Waits()
        let isTaken = polls.setDeadline(DeadlineKey(tick: 1, number: 1), of: 1, for: Self.values)
        #expect(!isTaken)
        #expect(polls.isEmpty)
    }
}
