import Foundation
import Testing
import ViewModels

@Suite("JSONSchema of a type")
struct SchemaTests {
    struct Expectation: Sendable, CustomTestStringConvertible {
        let type: any (Decodable & SendableMetatype).Type
        let schema: JSONSchema
        init(_ type: any (Decodable & SendableMetatype).Type, _ schema: JSONSchema) {
            (self.type, self.schema) = (type, schema)
        }
        var testDescription: String { "\(type)" }
    }

    enum Size: String, Codable, CaseIterable, SchemaDescribing { case small, large }
    enum Undescribed: String, Codable, CaseIterable { case one, two = "2" }
    enum Countless: String, Codable { case one }

    static let plain = [
        Expectation(String.self, .string), Expectation(Bool.self, .boolean), Expectation(Int.self, .int),
        Expectation(UInt8.self, .integer(0...255)), Expectation(Int64.self, .int), Expectation(Double.self, .double),
        Expectation(Float.self, .number(Double(Float.greatestFiniteMagnitude))),
        Expectation(Int?.self, .nullable(.int)),
        Expectation([String].self, .array(.string)), Expectation([[Int?]].self, .array(.array(.nullable(.int)))),
        Expectation([String: Double].self, .dictionary(.double)), Expectation(Size.self, .oneOf(["small", "large"])),
        Expectation(Size?.self, .nullable(.oneOf(["small", "large"]))),
    ]

    @Test("plain values, lists, dictionaries and described enumerations", arguments: plain)
    func describesPlain(expectation: Expectation) { check(expectation) }

    @Test("an enumeration of text that lists its cases is one of these")
    func undescribed() { #expect(JSONSchema(of: Undescribed.self) == .oneOf(["one", "2"])) }

    @Test("an enumeration of text that does not list its cases is at least text")
    func countless() { #expect(JSONSchema(of: Countless.self) == .string) }

    struct Flat: Codable {
        var name: String
        var count: Int
        var ratio: Double?
        var nick: String?
        var isOn: Bool?
        var age: Int?
        var size: Size
        var other: Undescribed
    }

    @Test("a struct's members in their order, the optional ones not required")
    func flat() {
        #expect(
            JSONSchema(of: Flat.self)
                == .object([
                    .init("name", .string), .init("count", .int),
                    .init("ratio", .nullable(.double), isRequired: false),
                    .init("nick", .nullable(.string), isRequired: false),
                    .init("isOn", .nullable(.boolean), isRequired: false),
                    .init("age", .nullable(.int), isRequired: false),
                    .init("size", .oneOf(["small", "large"])), .init("other", .oneOf(["one", "2"])),
                ]))
    }

    struct Nested: Codable {
        struct Inner: Codable { var deep: Int }
        var inner: Inner
        var list: [Inner]
        var map: [String: Inner]
        var maybe: Inner?
        var last: String
    }

    @Test("structs within structs, lists and dictionaries")
    func nested() {
        let inner = JSONSchema.object([.init("deep", .int)])
        #expect(
            JSONSchema(of: Nested.self)
                == .object([
                    .init("inner", inner), .init("list", .array(inner)), .init("map", .dictionary(inner)),
                    .init("maybe", .nullable(inner), isRequired: false), .init("last", .string),
                ]))
    }

    struct Tree: Codable {
        var label: String
        var children: [Tree]
    }

    @Test("a type that contains itself ends where it begins again")
    func recursive() {
        #expect(
            JSONSchema(of: Tree.self)
                == .object([.init("label", .string), .init("children", .array(.anything))]))
    }

    struct Empty: Codable {}

    @Test("a struct without members is anything, as it reads nothing")
    func empty() { #expect(JSONSchema(of: Empty.self) == .anything) }

    struct Odd: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            _ = try container.decode(Int.self)
        }
    }

    enum Payload: Codable { case text(String), number(Int) }

    @Test("a type that cannot be asked is anything")
    func unknowable() { #expect(JSONSchema(of: Odd.self) == .anything) }

    @Test("an enumeration with payloads is an object or anything, never a crash")
    func payload() {
        let schema = JSONSchema(of: Payload.self)
        #expect(schema == .anything || schema == .open([]))
    }

    struct Mixed: Decodable {
        var name: String
        var odd: Odd
    }

    @Test("what is known of a struct stands where one member cannot be asked, and there may be others")
    func partly() {
        #expect(JSONSchema(of: Mixed.self) == .open([.init("name", .string), .init("odd", .anything)]))
    }

    struct Chosen: Codable {
        var countless: Countless
        var after: Int
    }

    @Test("a member that no value can be made up for hides those behind it, and does not forbid them")
    func chosen() { #expect(JSONSchema(of: Chosen.self) == .open([.init("countless", .string)])) }

    struct Wide: Codable {
        var signed: Int128?
        var unsigned: UInt128
        var after: Int
    }

    @Test("the widest integers are integers")
    func wide() {
        #expect(
            JSONSchema(of: Wide.self)
                == .object([
                    .init("signed", .nullable(.integer(Int128.min...Int128.max)), isRequired: false),
                    .init("unsigned", .integer(0...Int128.max)), .init("after", .int),
                ]))
    }

    static let foundation = [
        Expectation(Date.self, .double), Expectation(URL.self, .string), Expectation(UUID.self, .string),
        Expectation(Data.self, .string), Expectation(Decimal.self, .double),
    ]

    @Test("Foundation's values as the coder writes them", arguments: foundation)
    func describesFoundation(expectation: Expectation) { check(expectation) }

    struct Dated: Codable {
        var at: Date
        var url: URL
        var id: UUID
        var blob: Data
        var after: Int
    }

    @Test("the members after one of Foundation's values are not forgotten")
    func dated() {
        #expect(
            JSONSchema(of: Dated.self)
                == .object([
                    .init("at", .double), .init("url", .string), .init("id", .string), .init("blob", .string),
                    .init("after", .int),
                ]))
    }

    private func check(_ expectation: Expectation) {
        func schema<Value: Decodable>(_ type: Value.Type) -> JSONSchema { JSONSchema(of: type) }
        #expect(schema(expectation.type) == expectation.schema)
    }
}

extension JSONSchema {
    /// What a `Double` is.
    fileprivate static let double = JSONSchema.number(.greatestFiniteMagnitude)
    /// What an `Int` is.
    fileprivate static let int = JSONSchema.integer(JSONSchema.range(of: Int.self))
}
