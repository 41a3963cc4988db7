import Binding
import Testing

@Suite("removeDuplicates, startWith, skip and map")
struct SimpleStreamTests {
    @Test("removeDuplicates leaves out what equals the one before")
    func removeDuplicates() async {
        #expect(await [1, 1, 2, 2, 1, 1].stream.removeDuplicates().collect() == [1, 2, 1])
        #expect(await [Int]().stream.removeDuplicates().collect() == [])
        #expect(await [nil, nil, 1, nil].stream.removeDuplicates().collect() == [nil, 1, nil])
    }

    @Test("removeDuplicates compares with what it last let through")
    func removeDuplicatesBy() async {
        #expect(await [1, 2, 3, 5, 6].stream.removeDuplicates { $1 - $0 < 2 }.collect() == [1, 3, 5])
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
}
