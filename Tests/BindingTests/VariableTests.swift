import Binding
import Foundation
import Testing

final class Label {
    var text = ""
    var count: Int?
}

@MainActor final class MainLabel {
    var text = ""
}

@Suite("Variable")
struct VariableTests {
    @Test("a bound label shows the current value and then each change")
    func binds() {
        let center = NotificationCenter()
        let text = Variable("a")
        let label = Label()
        let bag = Bag()
        center.observe(text, bindTo: label, \.text).disposed(by: bag)
        #expect(label.text == "a")
        text.value = "b"
        #expect(label.text == "b")
        var seen: [String] = []
        center.observe(text) { seen.append($0) }.disposed(by: bag)
        text.value = "c"
        #expect(seen == ["b", "c"])
        let n = Variable(1)
        center.observe(n, bindTo: label, \.count)
        #expect(label.count == 1)
        center.observe(Constant(Variable<Int?>(nil)), bindTo: label, \.count)
        #expect(label.count == nil)
        let o = center.observe(Variable<String?>(nil), bindTo: label, \.text, default: "none")
        #expect(label.text == "none")
        #expect(o.isCancelled)
    }

    @Test @MainActor func onMain() {
        let label = MainLabel()
        let text = Variable("x")
        let center = NotificationCenter()
        center.observe(text, bindTo: label, \.text)
        #expect(label.text == "x")
        center.observe(text) { label.text = $0 + "!" }
        #expect(label.text == "x!")
    }
}
