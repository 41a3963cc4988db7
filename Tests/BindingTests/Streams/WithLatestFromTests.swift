import Binding
import Testing

@Suite("withLatestFrom")
struct WithLatestFromTests {
    @Test("each element comes with the latest of the other at that time")
    func latest() async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        var iterator = taps.withLatestFrom(counts).makeAsyncIterator()
        await counts.ask()
        await counts.send(1)
        taps.yield("a")
        #expect(try await iterator.next() ?? ("", 0) == ("a", 1))
        await counts.send(2)
        await counts.send(3)
        taps.yield("b")
        #expect(try await iterator.next() ?? ("", 0) == ("b", 3))
        taps.yield("c")
        #expect(try await iterator.next() ?? ("", 0) == ("c", 3))
    }

    @Test("what comes before the other has one is left out")
    func before() async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        var iterator = taps.withLatestFrom(counts).makeAsyncIterator()
        await taps.ask()
        await counts.ask()
        await taps.send("a")
        await counts.send(1)
        taps.yield("b")
        #expect(try await iterator.next() ?? ("", 0) == ("b", 1))
    }

    @Test("it ends with its own elements, not with the other's")
    func ends() async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        var iterator = taps.withLatestFrom(counts).makeAsyncIterator()
        await counts.ask()
        await counts.send(1)
        counts.finish()
        taps.yield("a")
        #expect(try await iterator.next() ?? ("", 0) == ("a", 1))
        taps.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test("its end ends the reading of the other")
    func endsOther() async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        var iterator = taps.withLatestFrom(counts).makeAsyncIterator()
        taps.finish()
        #expect(try await iterator.next() == nil)
        await counts.over()
    }

    @Test("an error of either ends it", arguments: [true, false])
    func error(isOther: Bool) async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        var iterator = taps.withLatestFrom(counts).makeAsyncIterator()
        if isOther { counts.finish(throwing: Broken()) } else { taps.finish(throwing: Broken()) }
        await #expect(throws: Broken.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        if isOther { await taps.over() } else { await counts.over() }
    }

    @Test("cancelling the reading task ends it and both sequences")
    func cancelled() async throws {
        let (taps, counts) = (Hand<String>(), Hand<Int>())
        let reader = Task { try await taps.withLatestFrom(counts).collect().count }
        await taps.ask()
        await counts.ask()
        reader.cancel()
        #expect(try await reader.value == 0)
        await taps.over()
        await counts.over()
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
