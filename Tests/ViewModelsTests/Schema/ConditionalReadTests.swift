import Foundation
import Testing

@testable import ViewModels

@Suite("A type that reads on where something is not there, or is another")
struct ConditionalReadTests {
    typealias Expectation = SchemaTests.Expectation

    struct Person: Codable {
        var name: String
        var nick: String?
        var size: Size
        var age: Int?
        enum Size: String, Codable { case small, large }
        enum CodingKeys: CodingKey { case name, nick, size, more }
        enum MoreKeys: CodingKey { case age }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            nick = try? container.decode(String.self, forKey: .nick)
            size = (try? container.decode(Size.self, forKey: .size)) ?? .small
            let more = try? container.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            age = try more?.decode(Int.self, forKey: .age)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encodeIfPresent(nick, forKey: .nick)
            try container.encode(size, forKey: .size)
            guard let age else { return }
            var more = container.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            try more.encode(age, forKey: .age)
        }
    }

    /// Reads as many as are said to be there.
    struct Counted: Codable {
        var numbers: [Int] = []
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            for _ in 0..<(list.count ?? 0) { numbers.append(try list.decode(Int.self)) }
        }
        func encode(to encoder: any Encoder) throws { try numbers.encode(to: encoder) }
    }

    static let expectations = [
        Expectation(
            Person.self,
            .object([
                .init("name", .string), .init("nick", .string, isRequired: false),
                .init("size", .oneOf(["small", "large"]), isRequired: false),
                .init("more", .object([.init("age", .int)]), isRequired: false),
            ])),
        Expectation(Counted.self, .array(.int)),
    ]

    @Test("may do without what it tries to read, and takes as many as there are", arguments: expectations)
    func known(expectation: Expectation) throws {
        #expect(try JSONSchema(of: expectation.type) == expectation.schema)
        #expect(throws: Never.self) { try FoundType.of(expectation.type).shown.get() }
    }

    /// Of which another member is read by what is in the first one, which may be missing.
    struct ByOptional<Kind: Codable>: Codable {
        var kind: Kind?
        var html: String?
        enum CodingKeys: CodingKey { case kind, html }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decodeIfPresent(Kind.self, forKey: .kind)
            if kind != nil { html = try container.decode(String.self, forKey: .html) }
        }
    }
    struct ByKind: Codable {
        enum Kind: String, Codable { case plain, rich }
        var kind: Kind
        var html: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .plain
            if kind == .rich { html = try container.decode(String.self, forKey: .html) }
        }
    }
    /// Reads a member by its former name, where that is there.
    struct Renamed: Codable {
        var uuid: UUID
        enum CodingKeys: CodingKey { case id, uuid }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            uuid =
                try container.decodeIfPresent(UUID.self, forKey: .id) ?? container.decode(UUID.self, forKey: .uuid)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(uuid, forKey: .uuid)
        }
    }
    struct Scaled: Codable {
        var unit: String?
        var factor: Double
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            unit = try container.decodeIfPresent(String.self, forKey: .unit)
            factor = unit == nil ? 1 : try container.decode(Double.self, forKey: .factor)
        }
    }
    struct ByList<List: Codable & Collection>: Codable {
        var list: List
        var note: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            list = try container.decode(List.self, forKey: .list)
            if !list.isEmpty { note = try container.decode(String.self, forKey: .note) }
        }
    }
    struct ByNull: Codable {
        var unit: String?
        var factor = 1.0
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            unit = try container.decode(String?.self, forKey: .unit)
            if unit != nil { factor = try container.decode(Double.self, forKey: .factor) }
        }
    }
    /// All of an address, or none.
    struct Addressed: Codable {
        struct Address: Codable { var street: String, city: String }
        var name: String
        var address: Address?
        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            address = try? Address(from: decoder)
        }
    }
    /// One of two, or both.
    struct Contact: Codable {
        var mail: String?
        var phone: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mail = try? container.decode(String.self, forKey: .mail)
            phone = try? container.decode(String.self, forKey: .phone)
            if mail == nil, phone == nil { throw CancellationError() }
        }
    }
    struct Point: Codable {
        var x: Int
        var y: Int
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            guard list.count == 2 else { throw CancellationError() }
            (x, y) = try (list.decode(Int.self), list.decode(Int.self))
        }
    }
    enum Ratio: Double, Codable { case half = 0.5, third = 0.33 }

    static let sayIt = "; say its shape by conforming it to SchemaDescribing"
    static let faults =
        [
            ByOptional<UUID>.self, ByOptional<String>.self, ByKind.self, Renamed.self, Scaled.self, ByList<[Int]>.self,
            ByNull.self, Addressed.self, Contact.self,
        ].map { SchemaFaultTests.Case($0, SchemaFaultTests.union) } + [
            .init(Point.self, "takes lists of some lengths and not of others\(sayIt)"),
            .init(
                Ratio.self, "has raw values that are neither texts nor whole numbers: give it such, or no raw values"),
        ]

    @Test(
        "has no shape where one thing is read by what is in another, or a part of what may be there", arguments: faults)
    func unknown(fault: SchemaFaultTests.Case) {
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(of: fault.type) }
        #expect(thrown?.complaint == fault.words)
    }
}
