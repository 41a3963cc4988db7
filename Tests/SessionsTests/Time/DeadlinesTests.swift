import Testing

@testable import Sessions

@Suite("Deadlines")
struct DeadlinesTests {
    private static let tick = Duration.milliseconds(50)

    @Test(
        "a deadline is never early and at most a tick late",
        arguments: [0, 1, 49, 50, 51, 99, 100, 12_345, 25_000, 86_400_001].map { Duration.milliseconds($0) }
            + [.nanoseconds(1), .nanoseconds(50_000_001), .nanoseconds(13_421_772_800_000_001)])
    func lateness(time: Duration) throws {
        var deadlines = Deadlines<Int>(tick: Self.tick)
        _ = deadlines.add(1, at: time)
        let next = try #require(deadlines.next)
        #expect(next >= time)
        #expect(next < time + Self.tick)
        #expect(deadlines.due(at: next - .nanoseconds(1)) == [])
        #expect(deadlines.due(at: next) == [1])
        #expect(deadlines.next == nil)
    }

    @Test("what is due comes in the order of time, within a tick in the order of setting")
    func order() {
        var deadlines = Deadlines<String>(tick: Self.tick)
        for (entry, time) in [("d", 90), ("a", 20), ("b", 10), ("e", 100), ("c", 50)] {
            _ = deadlines.add(entry, at: .milliseconds(time))
        }
        #expect(deadlines.due(at: .seconds(1)) == ["a", "b", "c", "d", "e"])
    }

    @Test("what is not due stays")
    func stays() {
        var deadlines = Deadlines<Int>(tick: Self.tick)
        _ = deadlines.add(1, at: .milliseconds(50))
        _ = deadlines.add(2, at: .milliseconds(500))
        #expect(deadlines.due(at: .milliseconds(100)) == [1])
        #expect(deadlines.next == .milliseconds(500))
        #expect(deadlines.due(at: .milliseconds(500)) == [2])
    }

    @Test("a removed deadline is never due, and removing it again is no error")
    func removed() {
        var deadlines = Deadlines<Int>(tick: Self.tick)
        let first = deadlines.add(1, at: .milliseconds(50))
        _ = deadlines.add(2, at: .milliseconds(50))
        deadlines.remove(first)
        deadlines.remove(first)
        #expect(deadlines.due(at: .seconds(1)) == [2])
        deadlines.remove(first)
    }

    @Test("looks again no later than the earliest")
    func next() throws {
        var deadlines = Deadlines<Int>(tick: Self.tick)
        #expect(deadlines.next == nil)
        _ = deadlines.add(1, at: .seconds(5))
        _ = deadlines.add(2, at: .seconds(3))
        _ = deadlines.add(3, at: .seconds(4))
        #expect(deadlines.next == .seconds(3))
    }
}
