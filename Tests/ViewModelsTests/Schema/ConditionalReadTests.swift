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

    /// All of them as they are, or none.
    struct Settings: Codable {
        var font = "serif"
        var size = 12
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard let font = try? container.decode(String.self, forKey: .font),
                let size = try? container.decode(Int.self, forKey: .size)
            else { return }
            (self.font, self.size) = (font, size)
        }
    }

    struct Tagged<Value: Codable>: Codable {
        var value: Value
        init(from decoder: any Decoder) throws {
            do { value = try decoder.singleValueContainer().decode(Value.self) } catch {
                value = try Value(from: decoder)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// Looks for the end of what it has read.
    struct Corner: Codable {
        var x: Int
        var y: Int
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (x, y) = try (list.decode(Int.self), list.decode(Int.self))
            guard list.isAtEnd else {
                throw DecodingError.dataCorruptedError(in: list, debugDescription: "more than two")
            }
        }
        func encode(to encoder: any Encoder) throws { try [x, y].encode(to: encoder) }
    }

    enum Open: RawRepresentable, Codable {
        case active, other(String)
        init?(rawValue: String) { self = rawValue == "active" ? .active : .other(rawValue) }
        var rawValue: String { if case .other(let name) = self { name } else { "active" } }
    }

    static let expectations = [
        Expectation(
            Person.self,
            .object([
                .init("name", .string), .init("nick", .nullable(.string), isRequired: false),
                .init("size", .nullable(.oneOf(["small", "large"])), isRequired: false),
                .init("more", .nullable(.object([.init("age", .int)])), isRequired: false),
            ])),
        Expectation(Counted.self, .array(.int)),
        Expectation(
            Settings.self, .object([.init("font", .string), .init("size", .nullable(.int), isRequired: false)])),
        Expectation(Tagged<Int>.self, .int), Expectation(Corner.self, .tuple([.int, .int])),
        Expectation(Open.self, .string),
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
    struct Item: Codable { var number: Int }
    struct Flag: Codable, Collection {
        var isOn: Bool
        var startIndex: Int { 0 }
        var endIndex: Int { isOn ? 1 : 0 }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> Bool { isOn }
    }
    struct Roles: Codable {
        enum Role: String, Codable { case reader, editor, admin }
        var roles: [Role]
        var scope: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            roles = try container.decode([Role].self, forKey: .roles)
            if roles.contains(.admin) { scope = try container.decode(String.self, forKey: .scope) }
        }
    }
    /// A member more where there is more than one.
    struct Basket: Codable {
        var items: [Int]
        var note: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            items = try container.decode([Int].self, forKey: .items)
            if items.count > 1 { note = try container.decode(String.self, forKey: .note) }
        }
    }
    struct Sale: Codable {
        var isPaid: Bool
        var isGift: Bool
        var fee: Int?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            isPaid = try container.decode(Bool.self, forKey: .isPaid)
            isGift = try container.decode(Bool.self, forKey: .isGift)
            if isPaid, !isGift { fee = try container.decode(Int.self, forKey: .fee) }
        }
    }
    struct Place: Codable {
        var x: Int
        var label: String?
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (x, _) = try (list.decode(Int.self), list.decode(Int.self))
            label = try list.decodeIfPresent(String.self)
        }
    }
    struct Position: Codable {
        var x: Double
        var z: Double?
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (x, _) = try (list.decode(Double.self), list.decode(Double.self))
            z = try list.decodeIfPresent(Double.self)
        }
    }
    struct Height: Codable {
        var x: Int
        var z: Int?
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (x, z) = try (list.decode(Int.self), try? list.decode(Int.self))
        }
        func encode(to encoder: any Encoder) throws { try ([x] + (z.map { [$0] } ?? [])).encode(to: encoder) }
    }
    /// Keys and values by turns.
    struct Ordered: Codable {
        var pairs: [[String]] = []
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd { pairs.append(try [list.decode(String.self), list.decode(String.self)]) }
        }
        func encode(to encoder: any Encoder) throws { try pairs.flatMap(\.self).encode(to: encoder) }
    }
    enum Ratio: Double, Codable { case half = 0.5, third = 0.33 }

    static let sayIt = "; say its shape by conforming it to SchemaDescribing"
    static let faults =
        [
            ByOptional<UUID>.self, ByOptional<String>.self, ByKind.self, Renamed.self, Scaled.self, ByList<[Int]>.self,
            ByList<[Item]>.self, ByList<[String: Int]>.self, ByList<Flag>.self, ByNull.self, Sale.self, Roles.self,
            Basket.self, Addressed.self, Contact.self, Place.self, Height.self,
        ].map { SchemaFaultTests.Case($0, SchemaFaultTests.union) } + [
            .init(Position.self, "takes lists of some lengths and not of others\(sayIt)"),
            .init(Ordered.self, "takes lists of some lengths and not of others\(sayIt)"),
            .init(Point.self, "takes lists of some lengths and not of others\(sayIt)"),
            .init(
                Ratio.self, "has raw values that are neither texts nor integers: give it such, or no raw values"),
        ]

    @Test(
        "has no shape where one thing is read by what is in another, or a part of what may be there", arguments: faults)
    func unknown(fault: SchemaFaultTests.Case) {
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(of: fault.type) }
        #expect(thrown?.complaint == fault.words)
    }

    struct ThreeAtMost: Codable {
        var numbers: [Int] = []
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                if numbers.count == 3 { throw DecodingError.dataCorruptedError(in: list, debugDescription: "a fourth") }
                numbers.append(try list.decode(Int.self))
            }
        }
    }

    /// Goes on without a reason where that is not wanted.
    struct Stop: Codable {
        enum Kind: String, Codable { case planned, delayed, cancelled }
        var kind: Kind
        var reason: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decode(Kind.self, forKey: .kind)
            reason = try? container.decode(String.self, forKey: .reason)
            if kind == .planned, reason == nil { throw CancellationError() }
        }
    }
    /// Both or none, by what may fail.
    struct Pin: Codable {
        var x: Double?
        var y: Double?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            x = try? container.decode(Double.self, forKey: .x)
            y = try? container.decode(Double.self, forKey: .y)
            guard (x == nil) == (y == nil) else { throw CancellationError() }
        }
    }

    @Test("is not shown where it shows less than it seems to need")
    func less() {
        for shown in [FoundType.of(Stop.self).shown, FoundType.of(Pin.self).shown] {
            let fault = #expect(throws: SchemaFault.self) { try shown.get() }
            #expect(fault?.complaint == SchemaFaultTests.union)
        }
    }

    @Test("is refused at the place in the list where it stopped")
    func placeInAList() {
        #expect(refused("[1,2,3]", as: Corner.self)?.told == .wrongShape(pointer: "#"))
        #expect(refused("[1,2,3,4]", as: ThreeAtMost.self)?.told == .wrongShape(pointer: "#/3"))
        #expect(refused(#"{"r":[1,2,3,4]}"#, as: [String: ThreeAtMost].self)?.told == .wrongShape(pointer: "#/r/3"))
    }

    /// Reads what no text that is made up would have it read.
    struct Block: Codable {
        var type = "text"
        var text: String? = "a"
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            text = type == "text" ? try container.decode(String.self, forKey: .text) : nil
        }
    }

    @Test("is found by an example of an action that its description excludes")
    func example() throws {
        let input = ActionInput(of: Block.self) { try JSON.encode(Block()) }
        #expect(
            input.exampleFault
                == "has not the shape of its type, at #/text: it is unknown; known members: \"type\", or say its shape by conforming it to SchemaDescribing"
        )
    }
}
