import Binding
import Testing

@Suite("merge")
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

    @Test("nothing is lost and each side keeps its order")
    func nothingLost() async {
        for _ in 0..<50 {
            let all = await merge(Array(1...50).stream, Array(101...150).stream).collect()
            #expect(all.filter { $0 <= 50 } == Array(1...50))
            #expect(all.filter { $0 > 100 } == Array(101...150))
            #expect(all.count == 100)
        }
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

    @Test("of each, no more than one element is read ahead")
    func backPressure() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        var iterator = merge(first, second).makeAsyncIterator()
        await first.ask()
        first.yield(1)
        first.yield(2)
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        second.yield(3)
        #expect(try await iterator.next() == 3)
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

    @Test("dropping the iterator ends both sequences, also one whose element was not yet taken")
    func dropped() async throws {
        let (first, second) = (Hand<Int>(), Hand<Int>())
        do {
            var iterator = merge(first, second).makeAsyncIterator()
            first.yield(1)
            #expect(try await iterator.next() == 1)
            first.yield(2)
            second.yield(3)
        }
        await first.over()
        await second.over()
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
