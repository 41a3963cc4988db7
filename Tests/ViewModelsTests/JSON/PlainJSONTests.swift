import Foundation
import Samples
import Testing

@testable import ViewModels

@Suite("What is written without an encoder")
struct PlainJSONTests {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    private func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try Self.encoder.encode(value), as: UTF8.self)
    }

    private func written(_ value: some Encodable) throws -> String {
        String(decoding: try JSON.encode(value), as: UTF8.self)
    }

    @Test(
        "a number is the encoder's to the byte",
        arguments: [
            0, -0.0, 1, -1, 0.5, -0.5, 2.5, 0.1, 1.25, 1e9, 1e9 + 0.5, 999_999_999.5, 1e15, 1e16, 1e21, 1e-7, .pi,
            .leastNonzeroMagnitude, .greatestFiniteMagnitude, 123_456_789, 4_294_967_296.5,
        ])
    func number(number: Double) throws { #expect(try written(number) == encoded(number)) }

    @Test("a whole number is the encoder's to the byte", arguments: [0, 1, -1, .max, .min])
    func integer(number: Int) throws { #expect(try written(number) == encoded(number)) }

    @Test(
        "text is the encoder's to the byte",
        arguments: ["", "a", "a/b", "\"", "\\", "\u{7F}", "\u{1F}", "\n", "é", "日本", "🎌", "</script>", "\u{2028}"])
    func text(text: String) throws { #expect(try written(text) == encoded(text)) }

    struct Flat: Codable {
        var z = 1
        var a = "text"
        var m = true
        var half = 0.5
        var small: Int8 = -3
        var large: UInt64 = .max
        var float: Float = 0.1
        var none: Int?
        var some: String? = "é"
        var with: String? = "\"quotes\""
    }

    struct Deep: Codable {
        var list = [1, 2]
        var inner = ["a": 1]
        var date = Date(timeIntervalSince1970: 0)
        var flat = Flat()
    }

    struct Nothing: Codable {}

    struct Alone: Codable {
        var value = 1
        init() {}
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    struct Twice: Codable {
        var a = 1
        var b = 2
        func encode(to encoder: any Encoder) throws {
            var first = encoder.container(keyedBy: CodingKeys.self)
            try first.encode(a, forKey: .a)
            var second = encoder.container(keyedBy: CodingKeys.self)
            try second.encode(b, forKey: .b)
        }
    }

    struct Unsorted: Codable {
        var z = 1
        var a = "one, two: {3}"
        var half = 0.5
        var ab = true
        var none: Int?
    }

    struct Named: Codable {
        enum CodingKeys: String, CodingKey {
            case one = "b", two = "a b", three = "a", four = "a!", five = "B", six = ""
        }
        var one = 1
        var two = "two"
        var three = 3
        var four = 4
        var five = 5
        var six = 6
    }

    struct KeyTwice: Codable {
        var a = 1
        var b = 2
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(b, forKey: .b)
            try container.encode(a, forKey: .a)
            try container.encode(b, forKey: .b)
        }
    }

    @Test("a plain object is the encoder's to the byte in whatever order its members come, and needs no encoder")
    func plainObjects() throws {
        func check(_ value: some Encodable) throws {
            #expect(FlatEncoder.encode(value).map { String(decoding: $0, as: UTF8.self) } == (try encoded(value)))
        }
        try check(Unsorted())
        try check(Nothing())
        try check(Named())
        try check(CounterViewModel.Model(count: 7))
        try check(LoginViewModel.Model())
    }

    /// Goes on where a member cannot be written.
    struct Lenient: Encodable {
        enum CodingKeys: CodingKey { case a, b, wide, list, inner }
        var fault: CodingKeys
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch fault {
            case .a: try? container.encode("é", forKey: .a)
            case .b: try? container.encode(Float(0.1), forKey: .a)
            case .wide: try? container.encode(Int128(5), forKey: .a)
            case .list: _ = container.nestedUnkeyedContainer(forKey: .list)
            case .inner: _ = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
            }
            try container.encode(1, forKey: .b)
        }
    }

    @Test(
        "an object whose type goes on after a member that is not plain is left to the encoder",
        arguments: [Lenient.CodingKeys.a, .b, .wide, .list, .inner])
    func lenient(fault: Lenient.CodingKeys) throws {
        let value = Lenient(fault: fault)
        #expect(FlatEncoder.encode(value) == nil)
        #expect(String(decoding: try JSON.encode(object: value), as: UTF8.self) == (try encoded(value)))
    }

    @Test("a member that is written twice is left to the encoder")
    func keyTwice() throws {
        #expect(FlatEncoder.encode(KeyTwice()) == nil)
        #expect(String(decoding: try JSON.encode(object: KeyTwice()), as: UTF8.self) == (try encoded(KeyTwice())))
    }

    @Test("an object is the encoder's to the byte, whatever is in it")
    func objects() throws {
        func check(_ value: some Encodable) throws {
            #expect(String(decoding: try JSON.encode(object: value), as: UTF8.self) == (try encoded(value)))
        }
        try check(Flat())
        try check(Deep())
        try check(Nothing())
        try check(Alone())
        try check(Twice())
        try check(CounterViewModel.Model(count: 7))
        try check(LoginViewModel.Model())
        try check(GreetingViewModel.Model())
        try check(OrientationModel())
    }

    private struct Share: Encodable {
        var name = "NaN"
        var share: Decimal
    }

    @Test("a Decimal that is not a number is an error, and the word in a text is none")
    func decimal() throws {
        #expect(throws: EncodingError.self) { try JSON.encode(Share(share: Decimal.nan)) }
        #expect(throws: EncodingError.self) { try JSON.encode(object: Share(share: Decimal.nan)) }
        #expect(throws: EncodingError.self) { try JSON.encode([Decimal.nan]) }
        #expect(try JSON.encode(Share(share: 0.5)) == Array(#"{"name":"NaN","share":0.5}"#.utf8))
    }

    @Test("a number that is not finite is the encoder's error")
    func notFinite() { #expect(throws: EncodingError.self) { try JSON.encode(object: ["a": Double.nan]) } }
}
