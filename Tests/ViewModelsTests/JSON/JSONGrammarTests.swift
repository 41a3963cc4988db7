import TestSupport
import Testing

@testable import ViewModels

@Suite("JSON's grammar")
struct JSONGrammarTests {
    static let good = [
        "null", "true", "false", "0", "-0", "1", "10", "1.5", "-1.5e+10", "1E-3", "1e400", "\"\"", "\"a\"", "\"é日\"",
        #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, "[]", "[ ]", "[1,2]", "[[],{}]", "{}", "{ }", #"{"a":1}"#,
        " \t\r\n[1 , {\"a\" : null}] \n", #"{"a":1,"b":{"a":2}}"#, "\"\u{7F}\"",
    ]

    @Test("takes any value", arguments: good)
    func takes(text: String) { #expect(fault(of: text) == nil) }

    static let bad = [
        "", " ", "nul", "nulll", "True", "nil", "undefined", "NaN", "Infinity", "01", "-", "+1", "1.", ".5", "1e",
        "1e+",
        "0x1", "--1", "1 2", "\"", "\"a", "'a'", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u 123\"",
        "\"a\nb\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,]", "[1 2]", "{", "}", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{1:2}", "{} {}", "[]]", "// a\n1", "1 /* */", "\u{FEFF}{}", "{}\u{0}",
        "\u{A0}1",
    ]

    @Test("refuses what is none", arguments: bad)
    func refuses(text: String) { #expect(fault(of: text) != nil) }

    @Test(
        "refuses what is not UTF-8",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0xFE, 0xFF, 0, 0x7B, 0, 0x7D],
        ])
    func notUTF8(text: [UInt8]) { #expect(fault(of: text) == .notUTF8) }

    static let faults: [(String, JSONFault)] = [
        ("", .empty), (" \n", .empty), ("\u{FEFF}{}", .byteOrderMark), ("{", .unfinished), ("[1,", .unfinished),
        ("\"a", .unfinished), ("tru", .unfinished), ("-", .unfinished), ("{\"a\":}", .unexpected(byte: 6)),
        ("[1,]", .unexpected(byte: 4)), ("01", .unexpected(byte: 2)), ("{'a':1}", .unexpected(byte: 2)),
        ("[1] x", .unexpected(byte: 5)), ("\"a\nb\"", .unexpected(byte: 3)), ("[\"日\",x]", .unexpected(byte: 8)),
        ("\"\\x\"", .unexpected(byte: 3)),
    ]

    @Test("says what is wrong, and at which byte", arguments: faults)
    func says(text: String, fault: JSONFault) { #expect(self.fault(of: text) == fault) }

    @Test(
        "reads every escape as the character it stands for, between others and alone",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""a\u00e9\u65E5b""#, "aé日b"),
            (#""\ud83c\udf88x\uDBFF\uDFFF""#, "🎈x\u{10FFFF}"), (#""\u0000\u007f\u0080""#, "\0\u{7F}\u{80}"),
            (#""日\n""#, "日\n"), (#""\\u0041""#, #"\u0041"#),
        ])
    func escapes(text: String, expected: String) throws {
        guard case .string(let string) = try JSONGrammar.read(Array(text.utf8)) else { throw JSONFault.empty }
        #expect(Array(string.utf8) == Array(expected.utf8))
    }

    @Test(
        "refuses half of a surrogate pair, whatever follows it",
        arguments: [
            #""\ud83c""#, #""\udf88""#, #""\udf88\ud83c""#, #""\ud83c\ud83c\udf88""#, #""\ud83c\n""#, #""\ud83cx""#,
            #""\ud83c\u0041""#,
        ])
    func half(text: String) { #expect(fault(of: text) == .refused(.halfCharacter, at: [])) }

    @Test("refuses more marks on a letter than writing has: to compare such texts takes the square of their length")
    func marks() throws {
        func text(_ count: Int, _ pair: String) -> String {
            "\"e" + String(repeating: pair, count: count / 2) + "\""
        }
        for pair in ["\u{301}\u{323}", #"\u0301\u0323"#] {
            #expect(fault(of: text(30, pair)) == nil)
            #expect(fault(of: text(32, pair)) == .refused(.tooManyMarks, at: []))
            #expect(fault(of: "{\(text(32_000, pair)):1}") == .refused(.tooManyMarks, at: []))
            #expect(fault(of: "{\"a\":[0,\(text(32, pair))]}") == .refused(.tooManyMarks, at: ["a", "1"]))
        }
        #expect(fault(of: "\"" + String(repeating: "日e\u{301}\u{323}", count: 1000) + "\"") == nil)
    }

    @Test(
        "refuses longer names with marks than names are, in all of a body: with one mark, each of their bytes costs time"
    )
    func markedNames() {
        /// Objects in a list, each with a name of so many bytes, the last of them a mark, and with a longer value.
        func text(_ counts: Int...) -> String {
            let objects = counts.map { count in
                let marked = String(repeating: "e", count: count - 2) + "\u{301}"
                return "{\"\(marked)\":\"\(marked)\(marked)\"}"
            }
            return "[\(objects.joined(separator: ","))]"
        }
        func name(_ letter: String, _ count: Int) -> String { "{\"\(String(repeating: letter, count: count))\":1}" }
        let most = JSONGrammar.mostMarkedNameBytes
        #expect(fault(of: text(most)) == nil)
        #expect(fault(of: text(most - 3, 3)) == nil)
        #expect(fault(of: text(most - 3, 3, 3)) == .refused(.tooLongMarkedNames, at: ["2"]))
        // Letters that have no place in NFC, and vowel signs that may be part of another letter.
        #expect(fault(of: name("\u{212B}", most)) == .refused(.tooLongMarkedNames, at: []))
        #expect(fault(of: name("\u{16128}", most)) == .refused(.tooLongMarkedNames, at: []))
        #expect(fault(of: name("\u{E9}", 30_000)) == nil)
        #expect(fault(of: name("\u{16D67}\u{16D68}", most)) == .refused(.tooLongMarkedNames, at: []))
        #expect(fault(of: name("日", 20_000)) == nil)
        #expect(fault(of: name("か", 20_000)) == nil)
        #expect(fault(of: name("か\u{3099}", most)) == .refused(.tooLongMarkedNames, at: []))
    }

    @Test(
        "refuses two names that Unicode calls equivalent: a dictionary has room for one of them",
        arguments: [
            "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}",
            "{\"\u{212A}\":1,\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"K\":2}",
        ])
    func equivalent(text: String) {
        let isRefused = if case .refused(.doubled, _)? = fault(of: text) { true } else { false }
        #expect(isRefused)
    }

    @Test("a name is found by its bytes alone, though Unicode calls another equivalent")
    func byBytes() throws {
        guard case .object(let members) = try JSONGrammar.read(Array("{\"\u{212A}\":1}".utf8)) else {
            throw JSONFault.empty
        }
        let (letter, sign) = (members["K"], members["\u{212A}"])
        #expect(letter == nil && sign != nil)
    }

    @Test(
        "refuses a member that is there twice, however it is spelt, and says where",
        arguments: [
            (#"{"a":1,"a":2}"#, ["a"]), (#"{"x":[0,{"a":1,"b":2,"a":3}]}"#, ["x", "1", "a"]),
            (#"{"id":"a","\u0069d":"b"}"#, ["id"]), (#"{"":1,"":1}"#, [""]),
            (#"[[],{"a/b":{"c":{},"c":[]}}]"#, ["1", "a/b", "c"]),
        ])
    func doubled(text: String, path: [String]) { #expect(fault(of: text) == .refused(.doubled, at: path)) }

    @Test("text nested a hundred thousand deep is refused, not a crash", arguments: ["[", "{\"a\":"])
    func tooDeep(opening: String) {
        let path = Array(repeating: opening == "[" ? "0" : "a", count: JSONGrammar.deepest)
        #expect(fault(of: String(repeating: opening, count: 100_000)) == .refused(.tooDeep, at: path))
    }

    @Test("what is nested as deep as is allowed is read by the decoder too, a level more is refused")
    func deep() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(fault(of: nested(JSONGrammar.deepest)) == nil)
        _ = try JSON.decode(JSONValue.self, from: Array(nested(JSONGrammar.deepest).utf8))
        let isRefused =
            if case .refused(.tooDeep, _)? = fault(of: nested(JSONGrammar.deepest + 1)) { true } else { false }
        #expect(isRefused)
    }

    private func fault(of text: String) -> JSONFault? { fault(of: Array(text.utf8)) }

    private func fault(of text: [UInt8]) -> JSONFault? {
        do {
            _ = try JSONGrammar.read(sent: text)
            return nil
        } catch {
            return error
        }
    }
}
