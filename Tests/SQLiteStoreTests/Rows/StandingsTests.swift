import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Known standings")
struct StandingsTests {
    private let ids = (0..<100).map { SessionID(rawValue: "\($0)") }
    private let steps = Steps()

    private func standing(_ seq: UInt64) -> Standing {
        Standing(number: 1, head: steps.head(seq), end: nil)
    }

    @Test("are bounded, and forget those that were not used for longest")
    func bounded() {
        var standings = Standings(limit: 10)
        for id in ids {
            standings[id] = standing(1)
            #expect(standings.count <= 20)
            #expect(standings[id] != nil)
        }
        #expect(standings[ids[0]] == nil)
        #expect(standings[ids[98]] != nil)
    }

    @Test("what was set last is what is known, across generations")
    func latest() {
        var standings = Standings(limit: 10)
        standings[ids[0]] = standing(1)
        for id in ids[1..<10] { standings[id] = standing(1) }
        standings[ids[0]] = standing(2)
        #expect(standings[ids[0]]?.head.seq == 2)
        standings[ids[0]] = nil
        #expect(standings[ids[0]] == nil)
        standings.removeAll()
        #expect(standings.count == 0)
    }
}
