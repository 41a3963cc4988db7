import Foundation
import Testing

@testable import ViewModels

/// Protects that all readers read a body in one way.
@Suite("JSON text")
struct JSONTests {
    static func parse(_ string: String) throws(InputFault) -> JSONValue { try JSONValue(parsing: Array(string.utf8)) }

    static let valid = [
        "null", " true\n", "\t[ ]\r\n", "{}", "0", "-0", "-0.0", "1e5", "1E+5", "1e-5", "123.456", "0.1e1",
        #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9""#, #""\ud83d\ude00""#, "\"é😀\u{7f}\"",
        #"{"a":1,"b":[true,false,null],"":{}}"#, "[1,[2,[3]]]", "\"\u{2028}\"", #"{"A":1,"a":2}"#, #""\u0000""#,
    ]

    @Test("what the grammar allows is read", arguments: valid)
    func accepts(text: String) throws {
        let value = try Self.parse(text)
        var written: [UInt8] = []
        value.append(to: &written)
        let ours = try JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed) as? NSObject
        let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? NSObject
        #expect(ours == theirs)
        #expect(try JSONValue(parsing: written) == value)
    }

    static let invalid: [(String, Int)] = [
        ("", 1), (" ", 2), ("nul", 1), ("nulL", 1), ("True", 1), ("[1,]", 4), ("[1 2]", 4), ("[", 2), ("]", 1),
        ("{,}", 2), (#"{"a":1,}"#, 8), (#"{"a" 1}"#, 6), (#"{"a":}"#, 6), (#"{a:1}"#, 2), (#"{"a":1"#, 7), ("{1:2}", 2),
        ("01", 2), ("-", 2), ("+1", 1), ("1.", 3), (".1", 1), ("1e", 3), ("1e+", 4), ("0x1", 2), ("NaN", 1), ("- 1", 2),
        ("1 2", 3), ("\"", 2), ("\"\n\"", 2), (#""\x""#, 3), (#""\u12g4""#, 4), (#""\ud800""#, 2), (#""\ude00""#, 2),
        (#""\ud800x""#, 2), (#""\ud800\n""#, 2), (#""\ud800\ud800""#, 2), ("'a'", 1), ("// x\n1", 1), ("\u{FEFF}1", 1),
        (#"{"a":1,"a":2}"#, 8), ("{\"\u{e9}\":1,\"e\u{301}\":2}", 9), ("\u{a0}1", 1), ("\u{0}", 1),
    ]

    @Test("what the grammar does not allow is refused at its byte", arguments: invalid)
    func refuses(text: String, offset: Int) {
        let fault = #expect(throws: InputFault.self) { try Self.parse(text) }
        #expect(fault?.description.contains("at byte \(offset), ") == true, "\(text): \(fault?.description ?? "")")
    }

    @Test(
        "bytes that are not UTF-8 are refused", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE3, 0x81]])
    func refusesBytes(bytes: [UInt8]) {
        #expect(throws: InputFault.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
        #expect(throws: InputFault.self) { try JSONValue(parsing: bytes) }
    }

    @Test("nesting is limited, alike in reading and writing")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try Self.parse(nested(512))
        #expect(throws: InputFault.self) { try Self.parse(nested(514)) }
        #expect(throws: InputFault.self) { try Self.parse(nested(30000)) }
        #expect(throws: DeclarationFault.self) { try JSON.encode(Nest(depth: 600)) }
        #expect(try Self.parse(text(JSON.encode(Nest(depth: 500)))) != .null)
    }

    struct Nest: Encodable {
        let depth: Int
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Nest(depth: depth - 1)) }
        }
    }

    @Test("a text with too many combining marks in a row is refused in a body, and read where it is stored")
    func marks() throws {
        let texts = [30, 31].map { Array("\"e\(String(repeating: "\u{301}", count: $0))\"".utf8) }
        _ = try JSONValue(parsing: texts[0], isBody: true)
        #expect(throws: InputFault.self) { try JSONValue(parsing: texts[1], isBody: true) }
        _ = try JSONValue(parsing: texts[1])
    }
}

/// Protects stored state and answers: each value is read as it was written.
@Suite("Swift values as JSON")
struct CodingTests {
    struct All: Codable, Equatable {
        var b = 1
        var a: [String: [Int?]] = ["z": [1, nil], "y": [], "é": [2]]
        var date = Date(timeIntervalSinceReferenceDate: 0.25)
        var id = UUID(uuidString: "00000000-0000-0000-0000-0000000000AB")
        var url = URL(string: "https://example.com/a?b")
        var decimal = Decimal(string: "12345678901234567890.125") ?? 0
        var data = Data([1, 2, 255])
        var float: Float = 0.1
        var large = UInt64.max
        var small = Int8.min
        var missing: String?
        var choice = Choice.text("x")
        var pair = Pair(first: 1, second: nil)
    }
    enum Choice: Codable, Equatable { case none, text(String) }
    struct Pair: Codable, Equatable {
        var first: Int
        var second: Int??
    }

    @Test("each kind of member is written sorted and reads as the same")
    func members() throws {
        let json = try JSON.encode(All())
        #expect(
            text(json)
                == #"{"a":{"y":[],"z":[1,null],"é":[2]},"b":1,"choice":{"text":{"_0":"x"}},"data":"AQL/","date":0.25,"#
                + #""decimal":12345678901234567890.125,"float":0.1,"id":"00000000-0000-0000-0000-0000000000AB","#
                + #""large":18446744073709551615,"pair":{"first":1},"small":-128,"url":"https://example.com/a?b"}"#)
        #expect(try JSON.decode(All.self, from: json) == All())
    }

    @Test(
        "doubles have the shortest digits that read as the same",
        arguments: [(1.0, "1"), (0.5, "0.5"), (-0.0, "-0"), (1e22, "1e+22"), (1e-7, "1e-07"), (0.1, "0.1")])
    func doubles(double: Double, expected: String) throws {
        #expect(try text(JSON.encode(double)) == expected)
        #expect(try text(JSON.encode([double])) == "[\(expected)]")
        #expect(try JSON.decode(Double.self, from: Array(expected.utf8)).bitPattern == double.bitPattern)
    }

    @Test("a number that is not finite has no JSON form", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(double: Double) {
        #expect(throws: DeclarationFault.self) { try JSON.encode(double) }
        #expect(throws: DeclarationFault.self) { try JSON.encode(["x": double]) }
        #expect(throws: DeclarationFault.self) { try JSON.encode([Decimal.nan]) }
    }

    @Test("a number that its type does not hold is refused, whatever its spelling")
    func range() throws {
        #expect(try JSON.decode([UInt8].self, from: Array("[255,0,7.0]".utf8)) == [255, 0, 7])
        for number in ["256", "-1", "1.5", "1e2", "\"1\"", "null", "true"] {
            #expect(throws: InputFault.self) { try JSON.decode([UInt8].self, from: Array("[\(number)]".utf8)) }
        }
        #expect(throws: InputFault.self) { try JSON.decode(Double.self, from: Array("1e400".utf8)) }
        #expect(throws: InputFault.self) { try JSON.decode(Float.self, from: Array("1e39".utf8)) }
    }
}
