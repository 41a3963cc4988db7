import Testing
import ViewModels

@Suite("JSON's grammar")
struct JSONGrammarTests {
    static let good = [
        "null", "true", "false", "0", "-0", "1", "10", "1.5", "-1.5e+10", "1E-3", "1e400", "\"\"", "\"a\"", "\"é日\"",
        #""\"\\\/\b\f\n\r\t\u00e9\uD800""#, "[]", "[ ]", "[1,2]", "[[],{}]", "{}", "{ }", #"{"a":1}"#,
        " \t\r\n[1 , {\"a\" : null}] \n", #"{"a":1,"a":2}"#, "\"\u{7F}\"",
    ]

    @Test("takes any value", arguments: good)
    func takes(text: String) { #expect(JSON.isWellFormed(Array(text.utf8))) }

    static let bad = [
        "", " ", "nul", "nulll", "True", "nil", "undefined", "NaN", "Infinity", "01", "-", "+1", "1.", ".5", "1e",
        "1e+",
        "0x1", "--1", "1 2", "\"", "\"a", "'a'", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u 123\"",
        "\"a\nb\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,]", "[1 2]", "{", "}", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{1:2}", "{} {}", "[]]", "// a\n1", "1 /* */", "\u{FEFF}{}", "{}\u{0}",
        "\u{A0}1",
    ]

    @Test("refuses what is none", arguments: bad)
    func refuses(text: String) { #expect(!JSON.isWellFormed(Array(text.utf8))) }

    @Test(
        "refuses what is not UTF-8",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x7B, 0, 0x7D, 0],
        ])
    func notUTF8(text: [UInt8]) { #expect(!JSON.isWellFormed(text)) }

    @Test("text nested a hundred thousand deep is refused, not a crash", arguments: ["[", "{\"a\":"])
    func tooDeep(opening: String) {
        #expect(!JSON.isWellFormed(Array(String(repeating: opening, count: 100_000).utf8)))
    }

    @Test("what is nested less deep than the decoder goes is taken")
    func deep() {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(JSON.isWellFormed(Array(text.utf8)))
    }
}
