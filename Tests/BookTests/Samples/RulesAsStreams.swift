import BinderyKit
import Samples
import Testing

/// The counter's rules without refusals, in their shortest form.
func texts(up: AsyncStream<Void>, down: AsyncStream<Void>) -> some AsyncSequence<String, Never> {
    let count = Variable(0)
    return merge(up.map { 1 }, down.map { -1 })
        .withLatestFrom(count)
        .map { step, latest in
            count.value = max(0, latest + step)
            return String(count.value)
        }
        .startWith("0")
        .removeDuplicates()
}

@Test("the rules as streams say each text once")
func streams() async {
    let (up, tapUp) = AsyncStream.makeStream(of: Void.self)
    let (down, tapDown) = AsyncStream.makeStream(of: Void.self)
    var shown = texts(up: up, down: down).makeAsyncIterator()
    #expect(await shown.next(isolation: nil) == "0")
    tapUp.yield()
    #expect(await shown.next(isolation: nil) == "1")
    tapUp.yield()
    #expect(await shown.next(isolation: nil) == "2")
    tapDown.yield()
    #expect(await shown.next(isolation: nil) == "1")
    tapUp.finish()
    tapDown.finish()
    #expect(await shown.next(isolation: nil) == nil)
}
