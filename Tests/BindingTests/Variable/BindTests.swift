import Binding
import Foundation
import Testing

/// Protects that a target shows the present value, also an optional one.
@Suite("Binding to a target")
struct BindTests {
    let center = NotificationCenter()

    @Test("a target shows the current value at once and then each change")
    func currentThenChanges() {
        let text = Variable("a")
        let label = Label()
        center.observe(text, bindTo: label, \.text)
        #expect(label.text == "a")
        text.value = "b"
        #expect(label.text == "b")
    }

    @Test("onChange is called with the current value at once and then with each change")
    func onChange() {
        let text = Variable("a")
        var seen: [String] = []
        center.observe(text, onChange: { seen.append($0) })
        text.value = "b"
        text.value = "c"
        #expect(seen == ["a", "b", "c"])
    }

    @Test("a Constant binds as its Variable does")
    func constant() {
        let text = Variable("a")
        let label = Label()
        center.observe(Constant(text), bindTo: label, \.text)
        text.value = "b"
        #expect(label.text == "b")
    }

    @Test("a value binds to an optional")
    func valueToOptional() {
        let text = Variable("a")
        let label = Label()
        center.observe(text, bindTo: label, \.caption)
        #expect(label.caption == "a")
        text.value = "b"
        #expect(label.caption == "b")
    }

    @Test("an optional binds to an optional, nil and all")
    func optionalToOptional() {
        let text = Variable<String?>("a")
        let label = Label()
        center.observe(text, bindTo: label, \.caption)
        #expect(label.caption == "a")
        text.value = nil
        #expect(label.caption == nil)
        text.value = "b"
        #expect(label.caption == "b")
    }

    @Test("code of the main actor binds to what lives there")
    @MainActor
    func mainActor() {
        let text = Variable("a")
        let label = MainLabel()
        let bag = Bag()
        center.observe(text, bindTo: label, \.text).disposed(by: bag)
        #expect(label.text == "a")
        center.observe(text) { label.text = $0 + "!" }.disposed(by: bag)
        text.value = "b"
        #expect(label.text == "b!")
    }

    @Test("one Variable binds to several targets through several centers")
    func several() {
        let text = Variable("a")
        let labels = [Label(), Label()]
        center.observe(text, bindTo: labels[0], \.text)
        NotificationCenter().observe(text, bindTo: labels[1], \.text)
        text.value = "b"
        #expect(labels.map(\.text) == ["b", "b"])
    }
}
