import Foundation
import Testing

@testable import ViewModels

/// Protects that a body is refused where it does not fit, and the place is named.
@Suite("Schemas")
struct SchemaTests {
    struct Line: Codable {
        var sku: String
        var quantity: UInt8
        var note: String?
    }
    struct Order: Codable {
        var lines: [Line]
        var prices: [String: Decimal]
        var due: Date
        var id: UUID
        var site: URL?
        var isGift: Bool
        var weight: Double
        var state: State
        var level: Level
        var tag: Tag
    }
    enum State: String, Codable, CaseIterable { case open, closed }
    enum Level: Int, Codable, CaseIterable { case low = 1, high = 9 }
    struct Tag: RawRepresentable, Codable { var rawValue: String }

    @Test("one run of init(from:) finds the members, in order")
    func members() throws {
        let line = JSONSchema.object([
            .init("sku", .string), .init("quantity", .integer(0...255)),
            .init("note", .nullable(.string), isRequired: false),
        ])
        #expect(
            try JSONSchema(of: Order.self)
                == .object([
                    .init("lines", .array(line)), .init("prices", .dictionary(.number)), .init("due", .date),
                    .init("id", .uuid), .init("site", .nullable(.url), isRequired: false),
                    .init("isGift", .boolean), .init("weight", .number), .init("state", .oneOf(["open", "closed"])),
                    .init("level", .oneOfIntegers([1, 9])), .init("tag", .string),
                ]))
        #expect(try JSONSchema(of: [Int8?]??.self) == .nullable(.array(.nullable(.integer(-128...127)))))
        #expect(try JSONSchema(of: Data.self) == .base64)
    }

    enum Payload: Codable { case a(Int), b }
    struct Tree: Codable { var children: [Tree] }
    enum Plain: String, Codable { case x }
    struct Picky: Codable {
        init(from decoder: any Decoder) throws {
            guard try decoder.singleValueContainer().decode(Int.self) > 5 else { throw CancellationError() }
        }
    }
    struct Listed: Codable {
        init(from decoder: any Decoder) throws { _ = try? decoder.unkeyedContainer() }
    }
    struct Flexible: Codable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(Int.self)) != nil { _ = try? container.decode(String.self) }
        }
    }
    struct Holder<Value: Codable>: Codable { var inner: [Value] }

    @Test("a type that does not show its schema is named, with the way to it and what to do")
    func faults() {
        func fault<Value: Codable>(_ type: Value.Type) -> DeclarationFault? {
            #expect(throws: DeclarationFault.self) { try JSONSchema(of: Holder<Value>.self) }
        }
        for fault in [
            fault(Payload.self), fault(Tree.self), fault(Plain.self), fault(Picky.self), fault(Listed.self),
            fault(Flexible.self), fault(Set<Int>.self), fault([Int: Int].self), fault(ClosedRange<Int>.self),
            fault(UInt128.self),
        ] {
            #expect(fault?.description.hasPrefix("inner: *: ") == true)
            #expect(fault?.description.contains("Conform it to SchemaDescribing") == true)
        }
        #expect(fault(Tree.self)?.description.hasPrefix("inner: *: children: *: Tree contains itself.") == true)
    }

    struct Percentage: Codable, Equatable, SchemaDescribing {
        let value: Int
        init(_ value: Int) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            guard (1...100).contains(value) else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        static var jsonSchema: JSONSchema { .integer(1...100) }
        static var schemaExample: Percentage { Percentage(50) }
    }

    @Test("what a type says of itself wins, also inside of another")
    func described() throws {
        #expect(
            try JSONSchema(of: Holder<Percentage>.self) == .object([.init("inner", .array(.integer(1...100)))]))
        struct Mixed: Codable {
            var share: Percentage
            var name: String
        }
        #expect(
            try JSONSchema(of: Mixed.self)
                == .object([.init("share", .integer(1...100)), .init("name", .string)]))
    }

    static let mismatches: [(String, String, String)] = [
        (
            #"{"lines":[{"sku":"a","quantity":1},{"sku":"b","quantity":256}]}"#, "#/lines/1/quantity",
            "from 0 to 255"
        ),
        (#"{"lines":[{"sku":"a"}]}"#, "#/lines/0/quantity", "is missing"),
        (#"{"lines":[{"sku":null,"quantity":1}]}"#, "#/lines/0/sku", "must be a string"),
        (
            #"{"lines":[{"sku":"a","quantity":1,"x":2}]}"#, "#/lines/0/x",
            "known members: sku, quantity, note"
        ),
        (#"{"lines":{}}"#, "#/lines", "must be a list"),
        (#"{}"#, "#/lines", "is missing; it must be a list"),
        (#"[]"#, "#", "must be an object"),
    ]

    @Test("a mismatch has its place and what must be there", arguments: mismatches)
    func mismatch(body: String, place: String, words: String) throws {
        struct Basket: Codable { var lines: [Line] }
        let fault = try found(JSONTests.parse(body), by: JSONSchema(of: Basket.self))
        guard case .wrongShape(place, let detail)? = fault else { return #expect(fault?.description == place) }
        #expect(detail.contains(words))
    }

    @Test("the fault of a type's own init(from:) names its member and no value", arguments: [false, true])
    func own(isBare: Bool) throws {
        struct Even: Decodable {
            enum Key: CodingKey { case half, count }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                if try container.decode(Int.self, forKey: .count) % 2 == 0 { return }
                if try container.decode(Bool.self, forKey: .half) {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "secret"))
                }
                throw DecodingError.dataCorruptedError(forKey: .count, in: container, debugDescription: "secret")
            }
        }
        let text = #"{"inner":[{"count":3,"half":\#(isBare)}]}"#
        let fault = #expect(throws: InputFault.self) { try JSON.decode(Outer<Even>.self, from: Array(text.utf8)) }
        let place = isBare ? "#/inner/0" : "#/inner/0/count"
        #expect(
            fault
                == InputFault.wrongShape(
                    pointer: place, detail: "The member that the pointer names has a value that is not allowed here."))
    }
    private struct Outer<Value: Decodable>: Decodable { var inner: [Value] }

    @Test(
        "the fault of the closest of several shapes is told",
        arguments: [(#"{"circle":{"radius":"x"}}"#, "#/circle/radius"), (#"{"oval":1}"#, "#"), ("null", "#")])
    func closest(body: String, place: String) throws {
        let circle = JSONSchema.object([.init("circle", .object([.init("radius", .number)]))])
        let schema = JSONSchema.anyOf([circle, .object([.init("square", .number)])])
        let fault = try found(JSONTests.parse(body), by: schema)
        guard case .wrongShape(place, let detail)? = fault else { return #expect(fault?.description == place) }
        #expect(detail.hasSuffix(place == "#" ? "must be an object." : "must be a number."))
    }

    @Test("each shape takes its values and no others")
    func shapes() throws {
        let taken: [(JSONSchema, [String], [String])] = [
            (.uuid, [#""00000000-0000-0000-0000-0000000000ab""#], [#""x""#, "1"]),
            (.base64, [#""AQI=""#, #""""#], [#""?""#]),
            (.oneOf(["a", "é"]), [#""a""#, #""é""#], ["\"e\u{301}\"", #""b""#, "null"]),
            (.oneOfIntegers([1]), ["1", "1.0"], ["2", "1e0"]),
            (.number, ["1", "1e3", "-0.5"], ["1e400", #""1""#]),
            (.nullable(.boolean), ["null", "true"], ["0"]),
            (.dictionary(.integer(0...9)), ["{}", #"{"x":9}"#], [#"{"x":10}"#, "[]"]),
            (.anyOf([.string, .object([.init("a", .number)])]), [#""x""#, #"{"a":1}"#], [#"{"b":1}"#, "1"]),
            (.anything, ["1", "[{}]"], []),
        ]
        for (schema, fitting, others) in taken {
            for json in fitting { #expect(found(try JSONTests.parse(json), by: schema) == nil, "\(json)") }
            for json in others { #expect(found(try JSONTests.parse(json), by: schema) != nil, "\(json)") }
        }
    }
}

private func found(_ value: JSONValue, by schema: JSONSchema) -> InputFault? {
    do throws(InputFault) { try schema.check(value) } catch { return error }
    return nil
}
