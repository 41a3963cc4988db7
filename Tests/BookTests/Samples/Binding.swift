import BinderyKit
import Foundation
import Testing

@testable import Samples

final class Label {
    var text = ""
}

final class Button {
    var isEnabled = true
    var alpha = 1.0
}

final class CounterView {
    let label = Label()
    let down = Button()
    private let bag = Bag()

    init(_ counter: CounterObject, _ center: NotificationCenter) {
        center.observe(counter.text, bindTo: label, \.text).disposed(by: bag)
        center.observe(counter.enabled, bindTo: down, \.isEnabled).disposed(by: bag)
        center.observe(counter.alpha, bindTo: down, \.alpha).disposed(by: bag)
    }
}

@Test("the book's view shows what the counter shows")
func counterView() throws {
    let counter = CounterObject(model: Count(), context: .init())
    let view = CounterView(counter, NotificationCenter())
    #expect((view.label.text, view.down.isEnabled, view.down.alpha) == ("0", false, 0.5))
    try counter.increment()
    #expect((view.label.text, view.down.isEnabled, view.down.alpha) == ("1", true, 1))
}

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

@Test("the book's pipeline turns presses into texts")
func pipeline() async throws {
    let (ups, up) = AsyncStream.makeStream(of: Void.self)
    let (downs, down) = AsyncStream.makeStream(of: Void.self)
    var texts = texts(up: ups, down: downs).makeAsyncIterator()
    #expect(try await texts.next() == "0")
    up.yield()
    #expect(try await texts.next() == "1")
    down.yield()
    #expect(try await texts.next() == "0")
}
