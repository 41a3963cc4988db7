import Foundation
import Testing

@testable import BinderyClient

/// Protects the client from any cut of a stream.
@Suite("The event parser")
struct EventParserTests {
    private func read(_ text: String) throws -> [EventParser.Event] {
        var parser = EventParser()
        return try parser.read(Data(text.utf8))
    }

    @Test("reads the same events wherever the bytes are cut", arguments: ["\n", "\r", "\r\n"])
    func cuts(newline: String) throws {
        let text = ": hello\nevent: delta\nid: 4.n\ndata: 数🧵\ndata:two\n\nevent: ping\ndata\n\n"
            .replacingOccurrences(of: "\n", with: newline)
        let expected = [
            EventParser.Event(name: "delta", id: "4.n", data: Array("数🧵\ntwo".utf8)),
            EventParser.Event(name: "ping", id: "4.n", data: []),
        ]
        #expect(try read(text) == expected)
        let bytes = Data(text.utf8)
        for cut in 0...bytes.count {
            var parser = EventParser()
            #expect(try parser.read(bytes.prefix(cut)) + parser.read(bytes.dropFirst(cut)) == expected, "cut at \(cut)")
        }
        var parser = EventParser()
        #expect(try bytes.flatMap { try parser.read(Data([$0])) } == expected)
    }

    @Test("skips a byte order mark, an event without data, and half an event at the end")
    func skipped() throws {
        #expect(try read("\u{FEFF}data: 1\n\nevent: delta\n\ndata: half").map(\.data) == [Array("1".utf8)])
    }
}
