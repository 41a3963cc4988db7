import Binding
import Testing

/// Protects the order, the errors and the end of the operator.
@Suite("merge", .timeLimit(.minutes(1)))
struct MergeTests {
    @Test("elements come as they are sent, from either")
    func inOrder() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        var iterator = merge(first, second).makeAsyncIterator()
        for value in 1...10 {
            (value % 3 == 0 ? first : second).yield(value)
            #expect(try await iterator.next() == value)
        }
    }

    @Test("it ends when both have ended")
    func endsWithBoth() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        var iterator = merge(first, second).makeAsyncIterator()
        first.finish()
        second.yield(1)
        #expect(try await iterator.next() == 1)
        second.finish()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("an error comes once, after what was sent before, and ends the other")
    func error() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        var iterator = merge(first, second).makeAsyncIterator()
        first.yield(1)
        #expect(try await iterator.next() == 1)
        first.finish(throwing: Broken())
        await #expect(throws: Broken.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        await second.over()
    }

    @Test("cancelling the reading task ends it and both sequences")
    func cancelled() async throws {
        for _ in 0..<50 {
            let (first, second) = (Hand<Int>(), Hand<Int>())
            let reader = Task { try await merge(first, second).collect() }
            await first.ask()
            await second.ask()
            reader.cancel()
            #expect(try await reader.value == [])
            await first.over()
            await second.over()
        }
    }

    @Test("Variables merge, and end with them")
    func variables() async {
        let values: MergeSequence<VariableValues<Int>, VariableValues<Int>>
        var seen: [Int] = []
        do {
            let (one, other) = (Variable(1), Variable(2))
            values = merge(one.values, other.values)
            for await value in values {
                seen.append(value)
                if seen.count == 2 { break }
            }
        }
        #expect(seen.sorted() == [1, 2])
        #expect(await values.collect() == [])
    }
}
