import Binding
import Foundation
import TestSupport
import Testing

/// Protects readers of the sequence: the latest value wins, and it ends.
@Suite("The values of a Variable", .timeLimit(.minutes(1)))
struct ValuesTests {
    @Test("a reader gets the current value and each later one that it waits for")
    func currentAndLater() async {
        let variable = Variable(0)
        var iterator = variable.values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        for value in 1...3 {
            async let next = value
            variable.value = await next
            #expect(await iterator.next() == value)
        }
    }

    @Test("a reader that waits is woken by a set")
    func wakes() async {
        let variable = Variable(0)
        let seen = History<Int>()
        let reader = Task {
            for await value in variable.values {
                seen.append(value)
                if value == 3 { break }
                // Asks for the next from another thread, so that the reader as often waits as it does not.
                Task { variable.value = value + 1 }
            }
        }
        await reader.value
        #expect(seen.all == [0, 1, 2, 3])
    }

    @Test("the latest value wins for a slow reader")
    func latestWins() async {
        let variable = Variable(0)
        var iterator = variable.constant.values.makeAsyncIterator()
        for value in 1...100 { variable.value = value }
        #expect(await iterator.next() == 100)
        variable.value = 101
        #expect(await iterator.next() == 101)
    }

    @Test("the iteration ends with the Variable, after the value that was not yet read")
    func endsWithVariable() async {
        var iterator: VariableValues<Int>.Iterator
        do {
            let variable = Variable(0)
            iterator = variable.values.makeAsyncIterator()
            variable.value = 1
        }
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
        let values = Variable(0).values
        for await _ in values { Issue.record("the Variable was gone") }
    }

    @Test("the iteration ends when the task is cancelled, waiting or not")
    func endsWithTask() async {
        let variable = Variable(0)
        for _ in 0..<100 {
            let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
            let reader = Task {
                var seen: [Int] = []
                for await value in variable.values {
                    seen.append(value)
                    hasBegun.yield()
                }
                return seen
            }
            for await _ in begun { break }
            reader.cancel()
            #expect(await reader.value == [0])
        }
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            var iterator = variable.values.makeAsyncIterator()
            return await iterator.next()
        }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
    }

    @Test("neither sequence nor iterator keeps the Variable, nor it what a dropped one did not read")
    func keepsNothing() async {
        weak var weakVariable: Variable<Int>?
        weak var weakWitness: Witness?
        let values: VariableValues<Int>
        do {
            let variable = Variable(0)
            weakVariable = variable
            values = variable.values
            _ = variable.values.makeAsyncIterator()
        }
        #expect(weakVariable == nil)
        let held = Variable<Witness?>(nil)
        do {
            let witness = Witness()
            weakWitness = witness
            held.value = witness
            _ = held.values.makeAsyncIterator()
        }
        held.value = nil
        #expect(weakWitness == nil)
        withExtendedLifetime(values) {}
    }

    @Test("an optional's nil is a value, not the end")
    func optional() async {
        let variable = Variable<Int?>(nil)
        var iterator = variable.values.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
        variable.value = 1
        #expect(await iterator.next() == .some(1))
    }
}
