import Testing

@testable import ViewModels

@Suite("JSON")
struct JSONTests {
    @Test("an object keeps the order of its members and their text")
    func object() throws {
        let members = [("z", "1"), ("a", #"{"b" : 2}"#), ("m", "null")]
        let text = JSON.object(try members.map { try #require(Name($0.0)) }) { Array(members[$0].1.utf8) }
        #expect(String(decoding: text, as: UTF8.self) == #"{"z":1,"a":{"b" : 2},"m":null}"#)
    }

    @Test("an object without members is empty")
    func emptyObject() { #expect(JSON.object([]) { _ in [] } == Array("{}".utf8)) }

    @Test("equal values give equal text, whatever order their members were made in")
    func sorted() throws {
        let keys = (0..<50).map { "key\($0)" }
        let forwards = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        let backwards = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, 1) })
        #expect(try JSON.encode(forwards) == JSON.encode(backwards))
    }

    @Test(
        "a value is compact text, slashes as they are",
        arguments: [
            ("a/b", #""a/b""#), ("é日", "\"é日\""), ("\"\\\n", #""\"\\\n""#), ("", "\"\""),
        ])
    func text(value: String, text: String) throws {
        #expect(String(decoding: try JSON.encode(value), as: UTF8.self) == text)
    }

    @Test("numbers keep their shape", arguments: [(0.5, "0.5"), (1.0, "1"), (-0.25, "-0.25")])
    func numbers(value: Double, text: String) throws {
        #expect(String(decoding: try JSON.encode(value), as: UTF8.self) == text)
    }

    @Test("a number that is not finite is an error", arguments: [Double.nan, .infinity, -.infinity])
    func refusesNonFinite(value: Double) { #expect(throws: EncodingError.self) { try JSON.encode(value) } }

    @Test("null is a value")
    func null() throws { #expect(try JSON.encode(String?.none) == Array("null".utf8)) }

    @Test("a value of any type prints as its text")
    func rawText() throws {
        let raw = try JSON.decode([RawJSON].self, from: Array(#"[{"b": 1, "a": "é"}]"#.utf8))
        #expect("\(raw)" == #"[{"a":"é","b":1}]"#)
    }
}
