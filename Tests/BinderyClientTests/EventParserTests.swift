import Foundation
import Testing

@testable import BinderyClient

/// Protects the client from any cut of a stream.
@Suite("The event parser")
struct EventParserTests {
    @Test("reads the same events wherever the bytes are cut, and not half an event at the end")
    func cuts() throws {
        let text =
            "retry: 2000\nevent: delta\nid: 4.n\ndata: 数🧵: \u{2028}\n\nevent: ping\ndata: {}\n\nevent: delta\ndata: half"
        let expected = [
            EventParser.Event(name: "delta", id: "4.n", data: Array("数🧵: \u{2028}".utf8)),
            EventParser.Event(name: "ping", id: "4.n", data: Array("{}".utf8)),
        ]
        let bytes = Data(text.utf8)
        for cut in 0...bytes.count {
            var parser = EventParser()
            #expect(try parser.read(bytes.prefix(cut)) + parser.read(bytes.dropFirst(cut)) == expected, "cut at \(cut)")
        }
        var parser = EventParser()
        #expect(try bytes.flatMap { try parser.read(Data([$0])) } == expected)
    }
}
