import Foundation
import TestSupport
import Testing
import ViewModels

@Suite("The counter's rules, as variables and as streams")
struct CounterRulesTests {
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

    @Test("a count shows what the table says", arguments: CounterKind.allCases, table)
    func shows(kind: CounterKind, row: Row) {
        let counter = kind.counter(at: row.count)
        #expect(counter.text.value == row.text)
        #expect(counter.enabled.value == row.enabled)
        #expect(counter.alpha.value == row.alpha)
        #expect(counter.model.count == row.count)
    }

    /// Taps, `+` up and `-` down, and what each output goes through.
    struct Walk: Sendable, CustomTestStringConvertible {
        var start = 0
        let taps: String
        let text: [String]
        let enabled: [Bool]
        let alpha: [Double]
        var refusals = 0
        var testDescription: String { "\(start) \(taps)" }
    }

    static let walks = [
        Walk(taps: "", text: ["0"], enabled: [false], alpha: [0.5]),
        Walk(taps: "+", text: ["0", "1"], enabled: [false, true], alpha: [0.5, 1]),
        Walk(taps: "++", text: ["0", "1", "2"], enabled: [false, true], alpha: [0.5, 1]),
        Walk(taps: "+-", text: ["0", "1", "0"], enabled: [false, true, false], alpha: [0.5, 1, 0.5]),
        Walk(taps: "++--", text: ["0", "1", "2", "1", "0"], enabled: [false, true, false], alpha: [0.5, 1, 0.5]),
        Walk(taps: "-", text: ["0"], enabled: [false], alpha: [0.5], refusals: 1),
        Walk(taps: "--+", text: ["0", "1"], enabled: [false, true], alpha: [0.5, 1], refusals: 2),
        Walk(taps: "+--", text: ["0", "1", "0"], enabled: [false, true, false], alpha: [0.5, 1, 0.5], refusals: 1),
        Walk(start: .max, taps: "+", text: ["9223372036854775807"], enabled: [true], alpha: [1], refusals: 1),
        Walk(
            start: .max - 1, taps: "++-", text: ["9223372036854775806", "9223372036854775807", "9223372036854775806"],
            enabled: [true], alpha: [1], refusals: 1),
    ]

    @Test("each output goes through its values in order", arguments: CounterKind.allCases, walks)
    func histories(kind: CounterKind, walk: Walk) async {
        let counter = kind.counter(at: walk.start)
        let text = History<String>()
        let enabled = History<Bool>()
        let alpha = History<Double>()
        let center = NotificationCenter()
        center.observe(counter.text) { text.note($0) }
        center.observe(counter.enabled) { enabled.note($0) }
        center.observe(counter.alpha) { alpha.note($0) }
        var refusals: [ActionRefusal] = []
        for tap in walk.taps {
            do {
                if tap == "+" { try await counter.increment() } else { try await counter.decrement() }
            } catch {
                (error as? ActionRefusal).map { refusals.append($0) }
            }
        }
        // All that was seen, not runs of equals: what does not change is not even told.
        #expect(text.elements == walk.text)
        #expect(enabled.elements == walk.enabled)
        #expect(alpha.elements == walk.alpha)
        #expect(refusals.count == walk.refusals)
        #expect(refusals.allSatisfy { $0.kind == .disabled && !$0.detail.isEmpty })
        #expect(String(counter.model.count) == walk.text.last)
    }

    @Test("a counter is not kept alive by its own wiring", arguments: CounterKind.allCases)
    func lifetime(kind: CounterKind) async throws {
        weak var gone: (any Counting)?
        do {
            let counter = kind.counter()
            try await counter.increment()
            gone = counter
        }
        #expect(gone == nil)
    }
}
