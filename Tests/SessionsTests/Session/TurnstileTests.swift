import TestSupport
import Testing

@testable import Sessions

@Suite("Turnstile")
struct TurnstileTests {
    private final class Count { var value = 0 }

    @Test("a thousand tasks take turns: none is lost, no two are inside")
    func exclusion() async {
        let turnstile = Turnstile(Count())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    await turnstile.withTurn { count in
                        let value = count.value
                        // Another that is inside would now go ahead of us.
                        await Task.yield()
                        count.value = value + 1
                    }
                }
            }
        }
        #expect(await turnstile.withTurn { $0.value } == 1000)
    }

    @Test("whoever comes first goes first")
    func order() async {
        let turnstile = Turnstile(())
        let gate = Gate()
        let order = History<Int>()
        async let holder: Void = turnstile.withTurn { _ in await gate.pass() }
        await gate.arrivals()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<20 {
            // An immediate task stands in line before the next one is made.
            tasks.append(Task.immediate { await turnstile.withTurn { _ in order.note(number) } })
        }
        #expect(order.elements == [])
        gate.open()
        await holder
        for task in tasks { await task.value }
        #expect(order.elements == Array(0..<20))
    }

    @Test("a turn that throws ends all the same")
    func throwing() async {
        struct Failure: Error {}
        let turnstile = Turnstile(())
        await #expect(throws: Failure.self) { try await turnstile.withTurn { _ in throw Failure() } }
        await turnstile.withTurn { _ in }
    }

    @Test("a cancelled task gets its turn all the same and gives it up")
    func cancelled() async {
        let turnstile = Turnstile(())
        let gate = Gate()
        async let holder: Void = turnstile.withTurn { _ in await gate.pass() }
        await gate.arrivals()
        let waiting = Task.immediate { await turnstile.withTurn { _ in Task.isCancelled } }
        waiting.cancel()
        gate.open()
        await holder
        #expect(await waiting.value)
        await turnstile.withTurn { _ in }
    }

    @Test("a line that never empties does not grow with those who have gone through")
    func bounded() async {
        var line = TurnstileLine()
        _ = line.enter()
        var largest = 0
        for _ in 0..<1000 {
            let comer = await parked()
            let isFree = line.enter(or: comer)
            #expect(!isFree)
            if line.count > 1 { line.leave()?.resume() }
            largest = max(largest, line.storage)
        }
        #expect(largest < 100)
        #expect(line.count == 1)
        while let next = line.leave() { next.resume() }
    }

    private func parked() async -> CheckedContinuation<Void, Never> {
        await withCheckedContinuation { outer in
            Task { await withCheckedContinuation { outer.resume(returning: $0) } }
        }
    }
}
