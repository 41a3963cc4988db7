import Binding
import Testing

/// Protects the operators of the articles.
@Suite("withLatestFrom, removeDuplicates, startWith, skip and map", .timeLimit(.minutes(1)))
struct SimpleStreamTests {
    @Test("removeDuplicates leaves out what equals the one before")
    func removeDuplicates() async {
        #expect(await [1, 1, 2, 2, 1, 1].stream.removeDuplicates().collect() == [1, 2, 1])
        #expect(await [Int]().stream.removeDuplicates().collect() == [])
        #expect(await [nil, nil, 1, nil].stream.removeDuplicates().collect() == [nil, 1, nil])
    }

    @Test("startWith puts elements before")
    func startWith() async {
        #expect(await [3].stream.startWith(1, 2).collect() == [1, 2, 3])
    }

    @Test("skip leaves out the first")
    func skip() async {
        #expect(await [1, 2, 3].stream.skip(2).collect() == [3])
        #expect(await [1].stream.skip(2).collect() == [])
    }

    @Test("errors go through, after what came before")
    func errors() async throws {
        let hand = Hand<Int>()
        var iterator = hand.removeDuplicates().startWith(0).skip(1).makeAsyncIterator()
        hand.yield(1)
        hand.finish(throwing: Broken())
        #expect(try await iterator.next() == 1)
        await #expect(throws: Broken.self) { try await iterator.next() }
    }

    @Test("a counter's outputs as streams: its text, and whether down is enabled, each told when it changes")
    func outputs() async {
        let counts = [0, 1, 2, 1, 0].stream
        #expect(await counts.map { $0 > 0 }.removeDuplicates().collect() == [false, true, false])
    }

    @Test("a counter as a pipeline: merged taps, with the latest count, never lose a tap or go below zero")
    func counter() async {
        let count = Variable(0)
        var refused = 0
        let taps = merge(Array(repeating: 1, count: 100).stream, Array(repeating: -1, count: 30).stream)
        for await (step, latest) in taps.withLatestFrom(count) {
            if latest + step >= 0 { count.value = latest + step } else { refused += 1 }
        }
        #expect(count.value == 70 + refused)
    }
}
