import BinderyKit
import Foundation
import Samples
import Testing

final class Label {
    var text: String?
}

final class Button {
    var isEnabled = true
    var alpha = 1.0
}

final class CounterView {
    let label = Label()
    let down = Button()
    private let bag = Bag()

    init(_ counter: CounterViewModel, _ center: NotificationCenter) {
        center.observe(counter.text, bindTo: label, \.text).disposed(by: bag)
        center.observe(counter.enabled, bindTo: down, \.isEnabled).disposed(by: bag)
        center.observe(counter.alpha, bindTo: down, \.alpha).disposed(by: bag)
    }
}

@Test("the book's counter shows what its view model says, from the first value on")
func counterView() throws {
    let counter = CounterViewModel()
    let view = CounterView(counter, NotificationCenter())
    #expect(view.label.text == "0")
    #expect(!view.down.isEnabled && view.down.alpha == 0.5)
    try counter.increment()
    #expect(view.label.text == "1")
    #expect(view.down.isEnabled && view.down.alpha == 1)
}
