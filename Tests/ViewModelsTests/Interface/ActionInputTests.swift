import Foundation
import TestSupport
import Testing

@testable import ViewModels

@Suite("The body of an action")
struct ActionInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        let refusal: ActionRefusal.Told
        init(_ body: String, _ refusal: ActionRefusal.Told) { (self.body, self.refusal) = (body, refusal) }
        var testDescription: String { body.isEmpty ? "no body" : body }
    }

    static let malformed = [
        "", " ", "{", "}", "nul", "{\"id\":}", "{'id':1}", "{\"id\":\"a\"} x", "[1,]", "\u{0}",
        #"{"id":"a","count":1,}"#,
        #"{"id":"a","count":01}"#,
    ]

    @Test("what is no JSON is malformed", arguments: malformed)
    func refusesMalformed(body: String) { #expect(refusal(of: body)?.told == .malformedInput) }

    @Test(
        "text that is not UTF-8 is malformed",
        arguments: [[0xFF], Array("{\"id\":\"".utf8) + [0xFF] + Array("\"}".utf8)])
    func notUTF8(body: [UInt8]) {
        let refusal = #expect(throws: ActionRefusal.self) { try ActionInput.decode(Fixture.Order.self, from: body) }
        #expect(refusal?.told == .malformedInput)
    }

    static let wrongShapes = [
        Case("null", .wrongShape(pointer: "#")),
        Case("[]", .wrongShape(pointer: "#")),
        Case("7", .wrongShape(pointer: "#")),
        Case("\"a\"", .wrongShape(pointer: "#")),
        Case("{}", .wrongShape(pointer: "#/id")),
        Case(#"{"id":"a"}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":7,"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":null,"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":["a"],"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":"a","count":"1"}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":"a","count":true}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":"a","count":1,"price":"x"}"#, .wrongShape(pointer: "#/price")),
        Case(#"{"id":"a","count":1,"tags":["a",2]}"#, .wrongShape(pointer: "#/tags/1")),
        Case(#"{"id":"a","count":1,"tags":[null]}"#, .wrongShape(pointer: "#/tags/0")),
        Case(#"{"id":"a","count":1,"lines":[{}]}"#, .wrongShape(pointer: "#/lines/0/sku")),
        Case(#"{"id":"a","count":1,"extras":{"a/b~c d":"x"}}"#, .wrongShape(pointer: "#/extras/a~1b~0c%20d")),
        Case(#"{"id":"a","count":1,"size":"medium"}"#, .wrongShape(pointer: "#/size")),
    ]

    @Test("JSON of another shape is refused with a pointer to the member", arguments: wrongShapes)
    func wrongShape(wrong: Case) { #expect(refusal(of: wrong.body)?.told == wrong.refusal) }

    @Test(
        "a number that does not fit its type is of the wrong shape, wherever it stands",
        arguments: ["1.5", "1e400", "99999999999999999999", "9223372036854775808", "-9223372036854775809", "1e19"])
    func unfitNumber(number: String) {
        struct Nested: Codable { var inner: [[String: [Fixture.Order?]]] }
        let order = #"{"id":"a","count":\#(number)}"#
        let words = "must be a whole number from -9223372036854775808 to 9223372036854775807."
        let flat = refusal(of: order)
        #expect(flat?.told == .wrongShape(pointer: "#/count"))
        #expect(flat?.detail.hasSuffix(words) == true)
        let nested = refused(#"{"inner":[{},{"k":[null,\#(order)]}]}"#, as: Nested.self)
        #expect(nested?.told == .wrongShape(pointer: "#/inner/1/k/1/count"))
        #expect(nested?.detail == flat?.detail)
    }

    enum Countless: String, Codable { case one }

    @Test("a member that is missing is said to be")
    func missing() {
        struct Chosen: Codable {
            var countless: Countless
            var after: Int
        }
        let missing = refused(#"{"countless":"one"}"#, as: Chosen.self)
        #expect(missing?.told == .wrongShape(pointer: "#/after"))
        #expect(
            missing?.detail
                == "The member that the pointer names is missing; it must be a whole number from -9223372036854775808 to "
                + "9223372036854775807.")
        let wrong = refused(#"{"countless":"one","after":[]}"#, as: Chosen.self)
        #expect(wrong?.detail.contains("must be a whole number") == true)
    }

    indirect enum Formula: Codable {
        case number(Double)
        case not(of: Formula)
    }

    @Test("a member of any shape, or of the one around it, that is missing is said to be")
    func missingOfAnyShape() {
        struct Holder: Codable { var raw: HandmadeSchemaTests.Raw }
        let any = refused("{}", as: Holder.self)
        #expect(any?.detail == "The member that the pointer names is missing; it must be a value.")
        let around = refused(#"{"not":{}}"#, as: Formula.self)
        #expect(
            around?.detail
                == "The member that the pointer names is missing; it must be an object with one of \"number\", \"not\"."
        )
    }

    @Test("numbers at the ends of their type are taken, also beside a fault")
    func extremes() {
        #expect(refusal(of: #"{"id":"a","count":9223372036854775807}"#) == nil)
        #expect(refusal(of: #"{"id":"a","count":-9223372036854775808}"#) == nil)
        let beside = refusal(of: #"{"count":9223372036854775807,"id":"a","price":"x"}"#)
        #expect(beside?.told == .wrongShape(pointer: "#/price"))
    }

    @Test(
        "a whole number is taken however it is spelt",
        arguments: [
            ("-0", 0), ("-0.0", 0), ("0e400", 0), ("1.0", 1), ("1e2", 100), ("1E+2", 100), ("-120e-1", -12),
            ("900719925474099.3e1", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
            ("9223372036854775807.0", .max), ("-9.223372036854775808e18", .min),
            ("1.\(String(repeating: "0", count: 5000))", 1), ("7\(String(repeating: "0", count: 5000))e-5000", 7),
            ("0.\(String(repeating: "0", count: 4999))7e5000", 7),
        ])
    func wholeNumber(number: String, value: Int) throws {
        let order = try ActionInput.decode(Fixture.Order.self, from: Array(#"{"id":"a","count":\#(number)}"#.utf8))
        #expect(order.count == value)
    }

    @Test(
        "what rounding would make a whole number of is none, nor is one with too many digits",
        arguments: [
            "9007199254740993.5", "1e-400", "-1e-400", "1.0000000000000000000001", "0.9999999999999999999999",
            "1e-9223372036854775808", "1e9223372036854775807", "1e-999999999999999999999",
            "1e999999999999999999999", "-9223372036854775809.0", "9223372036854775807.5",
            String(repeating: "9", count: 5000), "1.\(String(repeating: "0", count: 5000))1",
            "0.\(String(repeating: "0", count: 5000))1",
        ])
    func notWhole(number: String) {
        let refusal = refusal(of: #"{"id":"a","count":\#(number)}"#)
        #expect(refusal?.told == .wrongShape(pointer: "#/count"))
        #expect(
            refusal?.detail == "The member that the pointer names must be a whole number from -9223372036854775808 "
                + "to 9223372036854775807.")
    }

    @Test(
        "a number with a fraction is the nearest that its type holds",
        arguments: [
            ("9007199254740993.5", 9_007_199_254_740_994), ("1e-400", 0), ("-1e-400", 0), ("1e2", 100), ("0.1", 0.1),
            ("1.0000000000000000000001", 1), ("4.9e-324", .leastNonzeroMagnitude),
            ("1.7976931348623157e308", 0x1.fffffffffffffp1023),
            ("0.\(String(repeating: "3", count: 5000))", 1.0 / 3), ("5e-1", 0.5),
        ])
    func nearest(number: String, value: Double) throws {
        let order = try ActionInput.decode(
            Fixture.Order.self, from: Array(#"{"id":"a","count":1,"price":\#(number)}"#.utf8))
        #expect(order.price == value)
    }

    @Test(
        "a member that the action does not have is refused with those that there are",
        arguments: [
            (
                #"{"id":"a","count":1,"prize":2}"#, "#/prize",
                #""id", "count", "price", "tags", "lines", "extras", "size""#
            ),
            (#"{"id":"a","count":1,"ID":"b"}"#, "#/ID", #""id", "count", "price", "tags", "lines", "extras", "size""#),
            (#"{"id":"a","count":1,"lines":[{"sku":"a"},{"sku":"a","a/b":{}}]}"#, "#/lines/1/a~1b", #""sku""#),
        ])
    func unknownMember(body: String, pointer: String, names: String) {
        let refusal = refusal(of: body)
        #expect(refusal?.told == .wrongShape(pointer: pointer))
        #expect(refusal?.detail == "The member that the pointer names is unknown; known members: \(names).")
    }

    enum Change: Codable { case reset, set(Int) }

    @Test("a member is refused of a case that holds nothing, which has none")
    func memberOfNothing() {
        #expect(refused(#"{"reset":{}}"#, as: Change.self) == nil)
        let refusal = refused(#"{"reset":{"to":1}}"#, as: Change.self)
        #expect(refusal?.told == .wrongShape(pointer: "#/reset/to"))
        #expect(refusal?.detail == "The member that the pointer names is unknown; its object has no members.")
    }

    @Test("any member will do where a type takes any, or nobody looks")
    func anyMember() {
        struct Ignored: Decodable { init(from decoder: any Decoder) {} }
        struct OrderOrTexts: Decodable {
            init(from decoder: any Decoder) throws {
                if (try? Fixture.Order(from: decoder)) == nil { _ = try [String: String](from: decoder) }
            }
        }
        struct Open: Decodable { var ignored: Ignored, names: [String: Int], either: [OrderOrTexts] }
        let either = #"[{"id":"a","count":1},{"a":"b"}]"#
        #expect(refused(#"{"ignored":{"a":{}},"names":{"a":1,"b":2},"either":\#(either)}"#, as: Open.self) == nil)
    }

    struct Narrow: Codable {
        var byte: UInt8?
        var real: Float?
        var size: Fixture.Order.Size?
        var deep: [String: [UInt16]]?
        var when: Date?
        var page: URL?
        var flag: Bool?
        var amount: Double?
    }

    @Test(
        "what is wrong is said in words that are true of the type, and never what was sent",
        arguments: [
            (#"{"byte":256}"#, "#/byte", "must be a whole number from 0 to 255 or null."),
            (#"{"byte":-1}"#, "#/byte", "must be a whole number from 0 to 255 or null."),
            (#"{"byte":"7"}"#, "#/byte", "must be a whole number from 0 to 255 or null."),
            (
                #"{"real":1e39}"#, "#/real",
                "must be a number from -3.4028235e+38 to 3.4028235e+38 or null."
            ),
            (#"{"real":"x"}"#, "#/real", "must be a number or null."),
            (
                #"{"amount":1e400}"#, "#/amount",
                "must be a number from -1.7976931348623157e+308 to 1.7976931348623157e+308 or null."
            ),
            (#"{"size":"medium"}"#, "#/size", #"must be one of "small", "large" or null."#),
            (#"{"size":1}"#, "#/size", #"must be one of "small", "large" or null."#),
            (#"{"deep":{"a":[1,65536]}}"#, "#/deep/a/1", "must be a whole number from 0 to 65535."),
            (#"{"deep":{"a":[1,null]}}"#, "#/deep/a/1", "must not be null; it must be a whole number from 0 to 65535."),
            (#"{"deep":[]}"#, "#/deep", "must be an object or null."),
            (#"{"when":"today"}"#, "#/when", "must be a number of seconds since 2001-01-01T00:00:00Z or null."),
            (#"{"page":""}"#, "#/page", "must be a URL or null."),
            (#"{"flag":1}"#, "#/flag", "must be true or false or null."),
            (
                #"{"byte":1,"byte":2}"#, "#/byte",
                "is there twice, to the byte or in another Unicode spelling; send it once."
            ),
            (
                #"{"deep":{"a":[],"b":[],"a":[]}}"#, "#/deep/a",
                "is there twice, to the byte or in another Unicode spelling; send it once."
            ),
        ])
    func words(body: String, pointer: String, words: String) {
        let refusal = refused(body, as: Narrow.self)
        #expect(refusal?.told == .wrongShape(pointer: pointer))
        #expect(refusal?.detail == "The member that the pointer names \(words)")
    }

    @Test(
        "what keeps a body from being JSON is said",
        arguments: [
            ("\u{FEFF}{}", "byte order mark"), ("{", "ends before"), ("{\"id\":}", "byte 7"),
            (#"{"id":"\ud83d\"#, "ends before"), (" ", "white space"),
        ])
    func malformedWords(body: String, words: String) {
        let refusal = refusal(of: body)
        #expect(refusal?.told == .malformedInput)
        #expect(refusal?.detail.contains(words) == true, "\(refusal?.detail ?? "")")
    }

    @Test(
        "JSON that not every reader takes is not said to be none: what is refused is said, and where",
        arguments: [
            (#"{"id":"\ud83d"}"#, "#/id", "surrogate"), (#"{"\ud83d":"a"}"#, "#", "surrogate"),
            ("{\"id\":\"\(String(repeating: "\u{301}", count: 31))\"}", "#/id", "more than 30 combining marks"),
            ("{\"lines\":[{\"\(String(repeating: "\u{301}", count: 31))\":1}]}", "#/lines/0", "more than 30 combining"),
            ("{\"\(String(repeating: "e\u{301}", count: 1366))\":1}", "#", "longer in all than 4096 bytes"),
            (String(repeating: "[", count: 600), "#" + String(repeating: "/0", count: 127) + "/…", "deeper than 512"),
        ])
    func refusedAlthoughJSON(body: String, pointer: String, words: String) {
        let refusal = refusal(of: body)
        #expect(refusal?.told == .wrongShape(pointer: pointer))
        #expect(refusal?.detail.contains(words) == true, "\(refusal?.detail ?? "")")
    }

    @Test("a pointer has 256 bytes at most, and where it is cut an ellipsis")
    func longPointer() {
        func pointer(_ name: String) -> String? {
            refusal(of: "{\"\(name)\":1,\"\(name)\":1}")?.pointer
        }
        let longest = String(repeating: "a", count: 254)
        #expect(pointer(longest) == "#/" + longest)
        #expect(pointer(longest + "b") == "#/" + longest + "…")
        #expect(
            pointer(String(repeating: "日", count: 20_000)) == "#/" + String(repeating: "%E6%97%A5", count: 28) + "…")
    }

    @Test(
        "JSON of the right shape is taken",
        arguments: [
            #"{"id":"a","count":1}"#, #" {"count":1,"id":"a"} "#, #"{"id":"","count":-1}"#,
            #"{"id":"a","count":1.0}"#, #"{"id":"a","count":1,"price":null,"tags":[],"extras":{},"size":"large"}"#,
        ])
    func taken(body: String) { #expect(refusal(of: body) == nil) }

    @Test(
        "the words of a refusal hold nothing that was sent",
        arguments: [
            #"{"id":"a","count":"hunter2"}"#, #"{"id":{"hunter2":1},"count":1}"#, #"{"id":"a","count":hunter2}"#,
            #"{"id":"a","count":1,"extras":{"hunter2":"x"}}"#, #"{"id":"a","count":1,"size":"hunter2"}"#, "hunter2",
            #""hunter2""#, #"{"hunter2":1}"#,
        ])
    func refusalText(body: String) throws {
        #expect(try #require(refusal(of: body)).detail.contains("hunter2") == false)
        let unwanted = #expect(throws: ActionRefusal.self) { try ActionInput.requireNone(Array(body.utf8)) }
        #expect(unwanted?.detail.contains("hunter2") == false)
    }

    @Test("an action without a body takes none, null and an empty object", arguments: ["", "{}", " { } ", "null"])
    func nothing(body: String) async throws { try await HostedBench(Fixture.declaration).perform("poke", body) }

    static let unwanted = [
        Case("[]", .wrongShape(pointer: "#")), Case("0", .wrongShape(pointer: "#")),
        Case("\"\"", .wrongShape(pointer: "#")), Case("false", .wrongShape(pointer: "#")),
        Case(#"{"b":1,"a":null}"#, .wrongShape(pointer: "#/a")), Case("{", .malformedInput), Case("x", .malformedInput),
    ]

    @Test("an action without a body refuses anything else and does not run", arguments: unwanted)
    func refusesUnwanted(sent: Case) async throws {
        let bench = try HostedBench(Fixture.declaration)
        let refusal = await #expect(throws: ActionRefusal.self) { try await bench.perform("poke", sent.body) }
        #expect(refusal?.told == sent.refusal)
        #expect(String(decoding: try bench.hosted.encodedModel(), as: UTF8.self) == #"{"number":0}"#)
    }

    private func refusal(of body: String) -> ActionRefusal? { refused(body, as: Fixture.Order.self) }
}
