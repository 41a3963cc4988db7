import Foundation
import TestSupport
import Testing
import ViewModels

@Suite("counter")
struct CounterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let count: Int
        let text: String
        let enabled: Bool
        let alpha: Double
        var testDescription: String { text }
    }

    static let table = [
        Row(count: 0, text: "0", enabled: false, alpha: 0.5),
        Row(count: 1, text: "1", enabled: true, alpha: 1),
        Row(count: 2, text: "2", enabled: true, alpha: 1),
        Row(count: 1000, text: "1000", enabled: true, alpha: 1),
        Row(count: .max, text: "9223372036854775807", enabled: true, alpha: 1),
    ]

    @Test("shows what the table says for a count", arguments: table)
    func showsTheRow(row: Row) {
        let counter = CounterViewModel(model: model(row.count))
        #expect(counter.text.value == row.text)
        #expect(counter.enabled.value == row.enabled)
        #expect(counter.alpha.value == row.alpha)
    }

    @Test("up and down again: each output goes through its values in order")
    func history() throws {
        let counter = CounterViewModel()
        let shown = Shown(counter)
        try counter.increment()
        try counter.increment()
        try counter.decrement()
        try counter.decrement()
        #expect(shown.text.changes == ["0", "1", "2", "1", "0"])
        #expect(shown.enabled.changes == [false, true, false])
        #expect(shown.alpha.changes == [0.5, 1, 0.5])
    }

    @Test("decrement at zero is refused and changes nothing")
    func refusedAtZero() {
        let counter = CounterViewModel()
        let shown = Shown(counter)
        #expect(throws: ActionRefusal.self) { try counter.decrement() }
        #expect(counter.model.count == 0)
        #expect(shown.text.elements == ["0"])
        #expect(shown.enabled.elements == [false])
        #expect(shown.alpha.elements == [0.5])
    }

    @Test("increment at the largest Int is refused and changes nothing")
    func refusedAtTheTop() {
        let counter = CounterViewModel(model: model(.max))
        let shown = Shown(counter)
        #expect(throws: ActionRefusal.self) { try counter.increment() }
        #expect(counter.model.count == .max)
        #expect(shown.text.elements == ["9223372036854775807"])
    }

    @Test("a refusal says that the action is disabled")
    func refusalCode() throws {
        let counter = CounterViewModel()
        let refusal = #expect(throws: ActionRefusal.self) { try counter.decrement() }
        #expect(refusal?.code == .disabled)
        #expect(refusal?.detail.isEmpty == false)
    }

    private func model(_ count: Int) -> CounterViewModel.Model {
        var model = CounterViewModel.Model()
        model.count = count
        return model
    }
}

/// What a counter's observers were told.
private struct Shown {
    let text = History<String>()
    let enabled = History<Bool>()
    let alpha = History<Double>()
    private let center = NotificationCenter()

    init(_ counter: CounterViewModel) {
        center.observe(counter.text) { [text] in text.note($0) }
        center.observe(counter.enabled) { [enabled] in enabled.note($0) }
        center.observe(counter.alpha) { [alpha] in alpha.note($0) }
    }
}
