import Foundation
import Testing

@testable import ViewModels

@Suite("JSONSchema of a type")
struct SchemaTests {
    struct Expectation: Sendable, CustomTestStringConvertible {
        let type: any (Codable & SendableMetatype).Type
        let schema: JSONSchema
        init(_ type: any (Codable & SendableMetatype).Type, _ schema: JSONSchema) {
            (self.type, self.schema) = (type, schema)
        }
        var testDescription: String { "\(type)" }
    }

    enum Listed: String, Codable, CaseIterable { case small, large = "L" }
    enum Unlisted: String, Codable { case one, two = "2", three }
    enum Single: String, Codable { case only }
    enum Numbered: Int, Codable { case low = -7, high = 1_000_000 }
    enum Narrow: UInt8, Codable { case a, b }
    /// Lists less than it reads.
    enum Partly: String, Codable, CaseIterable {
        case seen, hidden
        static let allCases: [Partly] = [.seen]
    }
    enum Generic<Value>: String, Codable { case value, none }
    struct Identifier: RawRepresentable, Codable, Hashable { var rawValue: String }
    struct Options: OptionSet, Codable { var rawValue: Int }

    static let values = [
        Expectation(String.self, .string), Expectation(Bool.self, .boolean), Expectation(Int.self, .int),
        Expectation(UInt8.self, .integer(0...255)), Expectation(Int64.self, .int), Expectation(Double.self, .double),
        Expectation(UInt64.self, .integer(0...Int128(UInt64.max))),
        // As it is written, which stands for a little more.
        Expectation(Float.self, .number(3.4028235e38)),
        Expectation(Date.self, .date), Expectation(URL.self, .formatted(.url)),
        Expectation(UUID.self, .formatted(.uuid)), Expectation(Data.self, .formatted(.base64)),
        Expectation(Decimal.self, .number(1e127)), Expectation(Identifier.self, .string),
        Expectation(Options.self, .int),
    ]

    static let enumerations = [
        Expectation(Listed.self, .oneOf(["small", "L"])), Expectation(Unlisted.self, .oneOf(["one", "2", "three"])),
        Expectation(Single.self, .oneOf(["only"])), Expectation(Numbered.self, .oneOfIntegers([-7, 1_000_000])),
        Expectation(Narrow.self, .oneOfIntegers([0, 1])), Expectation(Partly.self, .oneOf(["seen", "hidden"])),
        Expectation(Generic<Int>.self, .oneOf(["value", "none"])),
    ]

    static let collections = [
        Expectation(Int?.self, .nullable(.int)), Expectation(Int??.self, .nullable(.int)),
        Expectation([String].self, .array(.string)), Expectation([[Int?]].self, .array(.array(.nullable(.int)))),
        Expectation(Set<Unlisted>.self, .array(.oneOf(["one", "2", "three"]))),
        Expectation(ContiguousArray<Bool>.self, .array(.boolean)),
        Expectation([String: Double].self, .dictionary(.double)),
        Expectation([Int: String].self, .dictionary(.string, names: .int)),
        Expectation([UUID: Int].self, .pairs(.formatted(.uuid), .int)),
        Expectation([Unlisted: Int].self, .pairs(.oneOf(["one", "2", "three"]), .int)),
        Expectation(ClosedRange<Int>.self, .tuple([.int, .int])),
        Expectation(Duration.self, .tuple([.int, .integer(0...Int128(UInt64.max))])),
    ]

    @Test(
        "is known of plain values, enumerations and collections, without being told",
        arguments: values + enumerations + collections)
    func known(expectation: Expectation) throws {
        #expect(try JSONSchema(of: expectation.type) == expectation.schema)
    }

    struct Flat: Codable {
        var name: String
        var ratio: Double?
        var nick: String?
        var isOn: Bool?
        var age: Int?
        var wide: Int128?
        var at: Date?
        var size: Unlisted
        var after: Int
    }

    @Test(
        "a struct's members in their order; what is nil may be missing or null in a body, and is missing in what is shown"
    )
    func flat() throws {
        func members(_ optional: (JSONSchema) -> JSONSchema) -> JSONSchema {
            .object([
                .init("name", .string), .init("ratio", optional(.double), isRequired: false),
                .init("nick", optional(.string), isRequired: false),
                .init("isOn", optional(.boolean), isRequired: false), .init("age", optional(.int), isRequired: false),
                .init("wide", optional(.integer(Int128.min...Int128.max)), isRequired: false),
                .init("at", optional(.date), isRequired: false), .init("size", .oneOf(["one", "2", "three"])),
                .init("after", .int),
            ])
        }
        #expect(try JSONSchema(of: Flat.self) == members { .nullable($0) })
        #expect(try FoundType.of(Flat.self).shown.get() == members { $0 })
    }

    struct Marked: Codable {
        var text = ""
        var count = 0
        enum CodingKeys: String, CodingKey {
            case text = "a~1b"
            case count = "a/b"
        }
    }

    @Test("a member is called as it is coded, also where that could be taken for an escape")
    func marked() throws {
        #expect(try JSONSchema(of: Marked.self) == .object([.init("a~1b", .string), .init("a/b", .int)]))
    }

    /// Writes null for what is nil.
    struct Explicit: Codable {
        var number: Int?
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
        }
    }

    @Test("null is shown where a type writes it")
    func explicit() throws {
        #expect(
            try FoundType.of(Explicit.self).shown.get()
                == .object([.init("number", .nullable(.int), isRequired: false)]))
    }

    enum Payload: Codable { case text(String), number(of: Int, Int?), nothing }

    @Test("an enumeration that holds values is an object with one of its cases")
    func payload() throws {
        #expect(
            try JSONSchema(of: Payload.self)
                == .choice([
                    .init("text", .object([.init("_0", .string)])),
                    .init("number", .object([.init("of", .int), .init("_1", .nullable(.int), isRequired: false)])),
                    .init("nothing", .object([])),
                ]))
    }

    struct Entry: Codable, MemberSummarizing {
        var title: String
        var count: Int?
        static let memberSummaries = ["title": "At most 80 letters."]
    }

    @Test("members have the sentences that their type says of them")
    func summaries() throws {
        #expect(
            try JSONSchema(of: [Entry].self)
                == .array(
                    .object([
                        .init("title", .string, summary: "At most 80 letters."),
                        .init("count", .nullable(.int), isRequired: false),
                    ])))
    }

    struct Knot: Codable, SchemaDescribing, MemberSummarizing {
        var name: String
        var knots: [Knot]
        static let jsonSchema = JSONSchema.named(
            "Knot",
            .object([.init("name", .string, summary: "Of its own."), .init("knots", .array(.reference("Knot")))]))
        static let memberSummaries = ["knots": "Those within."]
    }
    enum Plain: String, Codable, MemberSummarizing {
        case one
        static let memberSummaries: [String: String] = [:]
    }

    @Test("so have those of a shape that the type says, beside its own, and a type may say none")
    func summariesOfWhatIsSaid() throws {
        #expect(
            try JSONSchema(of: Knot.self)
                == .named(
                    "Knot",
                    .object([
                        .init("name", .string, summary: "Of its own."),
                        .init("knots", .array(.reference("Knot")), summary: "Those within."),
                    ])))
        #expect(try JSONSchema(of: Plain.self) == .oneOf(["one"]))
    }
}

extension JSONSchema {
    /// What a `Double` is.
    static let double = JSONSchema.number(.greatestFiniteMagnitude)
    /// What an `Int` is.
    static let int = JSONSchema.integer(JSONSchema.range(of: Int.self))
}
