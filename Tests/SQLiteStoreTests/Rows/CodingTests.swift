import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("What is written in a row")
struct CodingTests {
    @Test("outputs come back byte by byte", arguments: [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UInt64.max - 1, .max])
    func outputs(seq: UInt64) {
        let outputs = [
            OutputRecord(name: "text", value: Array("\"日本\"".utf8), seq: seq),
            OutputRecord(name: "", value: [], seq: 0),
            OutputRecord(name: "long", value: Array(repeating: 0xff, count: 300), seq: 1),
        ]
        #expect(OutputRecord.decode(OutputRecord.encode(outputs)) == outputs)
        #expect(OutputRecord.decode([]) == [])
    }

    @Test("outputs that were cut off are not read")
    func cutOff() {
        let bytes = OutputRecord.encode([OutputRecord(name: "text", value: Array("\"1\"".utf8), seq: 300)])
        for count in 1..<bytes.count { #expect(OutputRecord.decode(Array(bytes.prefix(count))) == nil) }
    }

    @Test(
        "a number that no UInt64 holds is not read, nor a length beyond the end",
        arguments: [
            Array(repeating: UInt8(0xff), count: 11), Array(repeating: UInt8(0xff), count: 9) + [0x02],
            [0x05, 0x61], [0x80],
        ])
    func foreign(bytes: [UInt8]) { #expect(OutputRecord.decode(bytes) == nil) }

    @Test("a digest is stored as its bytes, any other name as text, and both come back")
    func ids() {
        let digest = SessionToken.random().sessionID
        guard case .digest(let bytes) = digest.column else { return #expect(Bool(false), "no digest") }
        #expect(bytes.count == 32)
        #expect(SessionID(digest.column) == digest)
        for name in ["public", "", String(repeating: "A", count: 64), String(repeating: "é", count: 32)] {
            let id = SessionID(rawValue: name)
            #expect(id.column == .text(name))
            #expect(SessionID(id.column) == id)
        }
    }
}
