import TestSupport
import Testing

@testable import Entities

/// Protects that each deadline comes, in order and not early.
@Suite("Deadlines", .timeLimit(.minutes(1)))
struct DeadlineTests {
    @Test("come in their order, at most a tick late and never early")
    func order() {
        var deadlines = Deadlines(tick: .milliseconds(50))
        let answers = History<String>()
        for time in [120, 50, 51, 100] {
            _ = deadlines.add(at: .milliseconds(time)) { answers.append("\(time)") }
        }
        for now in stride(from: 0, through: 150, by: 50) {
            answers.append("at \(now)")
            for act in deadlines.due(at: .milliseconds(now)) { act() }
        }
        #expect(answers.all == ["at 0", "at 50", "50", "at 100", "51", "100", "at 150", "120"])
        #expect(deadlines.next == nil)
    }

    @Test("of the timer thread come in order of time")
    func thread() async {
        let timer = TimerThread()
        let stream = AsyncStream.makeStream(of: Int.self)
        for (number, time) in [(2, 200), (1, 60), (3, 300)] {
            _ = timer.schedule(at: timer.now + .milliseconds(time)) { stream.continuation.yield(number) }
        }
        let cancelled = timer.schedule(at: timer.now + .milliseconds(100)) { stream.continuation.yield(9) }
        timer.cancel([cancelled])
        var numbers: [Int] = []
        for await number in stream.stream {
            numbers.append(number)
            if number == 3 { break }
        }
        #expect(numbers == [1, 2, 3])
        timer.stop()
    }
}

/// Protects slow actions from each other, and bounds them.
@Suite("The executor", .timeLimit(.minutes(1)))
struct ExecutorTests {
    @Test("runs actions side by side, as many as it has threads")
    func sideBySide() async {
        let executor = Executor(threads: 2)
        // Each waits for the other.
        let first = AsyncStream.makeStream(of: Void.self)
        let second = AsyncStream.makeStream(of: Void.self)
        let one = executor.run {
            first.continuation.yield()
            for await _ in second.stream { break }
        }
        let two = executor.run {
            second.continuation.yield()
            for await _ in first.stream { break }
        }
        await one?.value
        await two?.value
    }

    @Test("refuses actions at its bound, and takes them again when one has ended")
    func bound() async {
        let executor = Executor(threads: 1, actions: 1)
        let gate = AsyncStream.makeStream(of: Void.self)
        let first = executor.run { for await _ in gate.stream { break } }
        #expect(executor.run {} == nil)
        gate.continuation.yield()
        await first?.value
        // The task has ended before its value is there.
        #expect(executor.run {} != nil)
    }
}
