import Binding
import Foundation
import TestSupport
import Testing
import ViewModels

@testable import Samples

/// Protects the counter's table in its three forms.
@Suite("The counter's rules, as a value, as a class and as streams")
struct CounterTests {
    static let names = ["counter", "counter-object", "counter-stream"]

    static let table: [(count: Int, shown: String)] = [
        (0, #"{"text":"0","enabled":false,"alpha":0.5}"#),
        (1, #"{"text":"1","enabled":true,"alpha":1}"#),
        (1000, #"{"text":"1000","enabled":true,"alpha":1}"#),
        (.max, #"{"text":"9223372036854775807","enabled":true,"alpha":1}"#),
    ]

    @Test("a count shows what the table says", arguments: names, table)
    func shows(name: String, row: (count: Int, shown: String)) throws {
        let counter = try Bench(name, stored: #"{"count":\#(row.count)}"#)
        #expect(try counter.shown() == row.shown)
    }

    /// Presses, `+` up and `-` down: after each the text and the outputs that changed; none for a refused one.
    static let walks: [(start: Int, presses: String, texts: [String], changes: [String])] = [
        (0, "+-", ["1", "0"], ["text enabled alpha", "text enabled alpha"]),
        (0, "++-", ["1", "2", "1"], ["text enabled alpha", "text", "text"]),
        (0, "--+", ["0", "0", "1"], ["refused", "refused", "text enabled alpha"]),
        (
            .max - 1, "++-", ["9223372036854775807", "9223372036854775807", "9223372036854775806"],
            ["text", "refused", "text"]
        ),
    ]

    @Test("each press changes the outputs that the rules name, in one commit", arguments: names, walks)
    func walk(name: String, walk: (start: Int, presses: String, texts: [String], changes: [String])) async throws {
        let counter = try Bench(name, stored: #"{"count":\#(walk.start)}"#)
        var (texts, changes): ([String], [String]) = ([], [])
        for press in walk.presses {
            do {
                changes.append(try await counter.run(press == "+" ? "increment" : "decrement").joined(separator: " "))
            } catch {
                #expect((error as? Refusal)?.kind == .disabled)
                changes.append("refused")
            }
            texts.append(String(try counter.stored.dropFirst(9).dropLast()))
        }
        #expect(texts == walk.texts)
        #expect(changes == walk.changes)
    }

    @Test("a refusal says what is in the way", arguments: names)
    func refusals(name: String) async throws {
        let (lowest, highest) = try (Bench(name), Bench(name, stored: #"{"count":9223372036854775807}"#))
        await #expect(throws: Refusal.disabled("The counter is at zero; increment it first.")) {
            try await lowest.run("decrement")
        }
        await #expect(throws: Refusal.disabled("The counter cannot count any higher.")) {
            try await highest.run("increment")
        }
    }

    @Test("in process a label follows the class, told of a change and of nothing else")
    func bound() throws {
        let counter = CounterObject(model: Count(), context: .init())
        let (texts, enabled) = (History<String>(), History<Bool>())
        let (center, bag) = (NotificationCenter(), Bag())
        center.observe(counter.text) { texts.append($0) }.disposed(by: bag)
        center.observe(counter.enabled) { enabled.append($0) }.disposed(by: bag)
        try counter.increment()
        try counter.increment()
        #expect(texts.all == ["0", "1", "2"])
        #expect(enabled.all == [false, true])
    }

    @Test("in process the streams take many presses, and end with the counter", .timeLimit(.minutes(1)))
    func streams() async throws {
        let texts: VariableValues<String>
        do {
            let counter = CounterStream(model: Count(), context: .init())
            for _ in 0..<100 { try await counter.increment() }
            for _ in 0..<99 { try await counter.decrement() }
            #expect(counter.text.value == "1")
            texts = counter.text.values
        }
        // Ends when nothing keeps the Variable any more, which the task of the streams does.
        for await text in texts { #expect(text == "1") }
    }
}
