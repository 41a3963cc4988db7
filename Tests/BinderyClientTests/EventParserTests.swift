import Foundation
import Testing

@testable import BinderyClient

@Suite("The reader of event streams")
struct EventParserTests {
    private func read(_ chunks: [Data], largest: Int = 1000) throws -> (
        events: [EventParser.Event], parser: EventParser
    ) {
        var parser = EventParser(largest: largest)
        return (try chunks.flatMap { try parser.read($0) }, parser)
    }

    private func event(_ name: String, _ id: String?, _ data: String) -> EventParser.Event {
        EventParser.Event(name: name, id: id, data: Array(data.utf8))
    }

    @Test(
        "reads the same wherever the bytes are cut, also inside of a character and of a line's end",
        arguments: ["\n", "\r\n", "\r"])
    func cuts(end: String) throws {
        let text = [
            "\u{FEFF}retry: 2000", "event: snapshot", "id: k3.1", "data: {\"text\":\"数\u{2028}え\u{85}🧵\"}", "",
            ": a comment", "id:k3.2",
            "event: delta", "data: one", "data:two", "data", "", "", "event: nothing", "", "data: last", "",
        ].map { $0 + end }.joined()
        let bytes = Data(text.utf8)
        let expected = [
            event("snapshot", "k3.1", "{\"text\":\"数\u{2028}え\u{85}🧵\"}"), event("delta", "k3.2", "one\ntwo\n"),
            event("message", "k3.2", "last"),
        ]
        for cut in 0...bytes.count {
            let (events, parser) = try read([bytes.prefix(cut), bytes.dropFirst(cut)])
            #expect(events == expected, "cut at \(cut)")
            #expect(parser.retry == .milliseconds(2000))
        }
        #expect(try read(bytes.map { Data([$0]) }).events == expected)
    }

    @Test("gives nothing of an event that has not come to its end")
    func unfinished() throws {
        #expect(try read([Data("id: k3.1\ndata: {}\n".utf8)]).events == [])
        #expect(try read([Data("data: {}".utf8)]).events == [])
    }

    @Test("takes no retry that is no number, and no id with a NUL")
    func fields() throws {
        let (events, parser) = try read([Data("retry: 2s\nid: a\0b\ndata: x\n\n".utf8)])
        #expect(events == [event("message", nil, "x")])
        #expect(parser.retry == nil)
    }

    @Test("gives up an event that has more bytes than it may, in one line or in many")
    func tooLarge() {
        #expect(throws: EventParser.TooLarge.self) {
            try read([Data("data: \(String(repeating: "x", count: 30))".utf8)], largest: 30)
        }
        #expect(throws: EventParser.TooLarge.self) {
            try read([Data(String(repeating: "data: xxxxxxxxx\n", count: 4).utf8)], largest: 30)
        }
    }
}
