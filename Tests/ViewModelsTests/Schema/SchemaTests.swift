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
        Expectation(Float.self, .number(Double(Float.greatestFiniteMagnitude))),
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
        #expect(try JSONSchema(shownBy: Flat.self) == members { $0 })
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
            try JSONSchema(shownBy: Explicit.self) == .object([.init("number", .nullable(.int), isRequired: false)]))
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

    struct Tree: Codable {
        var label: String
        var children: [Tree]
    }
    indirect enum Formula: Codable { case sum(Formula, Formula), number(Int) }
    final class Node: Codable { var next: Node? }
    struct Left: Codable { var rights: [Right] }
    struct Right: Codable { var left: Left? }

    @Test("a type that contains itself has a name, and refers to it")
    func recursive() throws {
        func name(_ type: String) -> String { "ViewModelsTests.SchemaTests.\(type)" }
        #expect(
            try JSONSchema(of: Tree.self)
                == .named(
                    name("Tree"),
                    .object([.init("label", .string), .init("children", .array(.reference(name("Tree"))))])))
        #expect(
            try JSONSchema(of: Formula.self)
                == .named(
                    name("Formula"),
                    .choice([
                        .init(
                            "sum",
                            .object([
                                .init("_0", .reference(name("Formula"))), .init("_1", .reference(name("Formula"))),
                            ])), .init("number", .object([.init("_0", .int)])),
                    ])))
        #expect(try JSONSchema(of: [Node].self).definitions.map(\.name) == [name("Node")])
        #expect(try JSONSchema(of: Left.self).definitions.map(\.name) == [name("Left")])
        #expect(try JSONSchema(of: Right.self).definitions.map(\.name) == [name("Right")])
    }

    enum Block: Codable { case text(String), list([Block]) }
    struct Cat: Codable { var kittens: [String: Cat] }

    @Test("a list of a type that contains such a list is a list of it, and so is a dictionary, and what may be missing")
    func recursiveWrapped() throws {
        let tree = try JSONSchema(of: Tree.self)
        #expect(try JSONSchema(of: [Tree].self) == .array(tree))
        #expect(try JSONSchema(shownBy: [[Tree]?].self) == .array(.nullable(.array(tree))))
        #expect(try JSONSchema(of: Tree?.self) == .nullable(tree))
        #expect(try JSONSchema(of: Node?.self) == .nullable(JSONSchema(of: Node.self)))
        #expect(try JSONSchema(of: [Block].self) == .array(JSONSchema(of: Block.self)))
        #expect(try JSONSchema(shownBy: [String: Cat].self) == .dictionary(JSONSchema(of: Cat.self)))
    }

    struct ISBN: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .string }
        static var jsonExample: String? { "\"9783161484100\"" }
        init(from decoder: any Decoder) throws {
            guard try decoder.singleValueContainer().decode(String.self).count == 13 else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("9783161484100")
        }
    }
    struct Book: Codable { var isbn: ISBN }
    struct Raw: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .anything }
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Member.CodingKeys.self) }
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Member.CodingKeys.self) }
        enum Member { enum CodingKeys: CodingKey {} }
    }
    struct Happening: Codable { var details: Raw }
    struct Wrong: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .int }
        static var jsonExample: String? { "{" }
    }

    @Test("a type that takes few of what has its shape gives an example, from which what holds it is known")
    func given() throws {
        #expect(try JSONSchema(shownBy: Book.self) == .object([.init("isbn", .string)]))
        #expect(try JSONSchema(shownBy: Happening.self) == .object([.init("details", .anything)]))
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: Wrong.self) }
        #expect(fault?.complaint == "does not read its jsonExample, {")
    }

    struct Remark: Codable {
        var text: String
        var media: Media?
    }
    indirect enum Media: Codable { case quote(Remark) }

    @Test("two types of which each may hold the other have a shape, whichever is met first")
    func mutual() throws {
        func name(_ type: String) -> String { "ViewModelsTests.SchemaTests.\(type)" }
        func remark(_ media: JSONSchema) -> JSONSchema {
            .object([.init("text", .string), .init("media", .nullable(media), isRequired: false)])
        }
        func media(_ remark: JSONSchema) -> JSONSchema { .choice([.init("quote", .object([.init("_0", remark)]))]) }
        #expect(
            try JSONSchema(of: Remark.self) == .named(name("Remark"), remark(media(.reference(name("Remark"))))))
        #expect(try JSONSchema(of: Media.self) == .named(name("Media"), media(remark(.reference(name("Media"))))))
        #expect(throws: Never.self) { try JSONSchema(shownBy: [Remark].self) }
    }

    struct Both: Codable {
        var left: Left
        var right: Right
    }

    @Test("a type that contains itself is the same wherever it is met, and one definition")
    func same() throws {
        let (left, right) = (try JSONSchema(of: Left.self), try JSONSchema(of: Right.self))
        let inner = try #require(left.unfolded.definitions.first)
        #expect(inner.schema.isSame(as: left) && left.unfolded.isSame(as: left) && !left.isSame(as: right))
        #expect(try JSONSchema(of: Both.self).definitions.map(\.name) == left.definitions.map(\.name))
    }

    /// Each Node is another type of the same name.
    private static func otherNode() -> any Codable.Type {
        struct Node: Codable { var leaves: [Node] }
        return Node.self
    }

    @Test("two types of one name, one beside the other, are told apart")
    func namesakes() throws {
        struct Node: Codable { var branches: [Node] }
        struct Pair<Other: Codable>: Codable {
            var own: Node
            var other: Other
        }
        func pair<Other: Codable>(_ other: Other.Type) throws -> JSONSchema { try JSONSchema(of: Pair<Other>.self) }
        let definitions = try pair(Self.otherNode()).definitions
        let name = "ViewModelsTests.SchemaTests.Node"
        #expect(definitions.map(\.name) == [name, "\(name)2"])
        #expect(
            definitions.last?.schema
                == .named("\(name)2", .object([.init("leaves", .array(.reference("\(name)2")))])))
    }

    struct Empty: Codable {}
    struct Point: Codable {
        let x: Int
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            x = try list.decode(Int.self)
            _ = try list.decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(x)
            try list.encode("")
        }
    }
    struct Title: Codable {
        let text: String
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard !text.isEmpty else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
    struct Lenient: Codable {
        var title: Title
        var note = ""
        var inner: Int
        enum CodingKeys: CodingKey { case title, note, inner }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(Title.self, forKey: .title)
            note = try container.decodeIfPresent(String.self, forKey: .note) ?? ""
            let deep = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
            inner = try deep.decode(Int.self, forKey: .inner)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(title, forKey: .title)
            try container.encode(note, forKey: .note)
            var deep = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
            try deep.encode(inner, forKey: .inner)
        }
    }

    static let handmade = [
        Expectation(Empty.self, .object([])), Expectation(Point.self, .tuple([.int, .string])),
        Expectation(Title.self, .string),
        Expectation(
            Lenient.self,
            .object([
                .init("title", .string), .init("note", .nullable(.string), isRequired: false),
                .init("inner", .object([.init("inner", .int)])),
            ])),
    ]

    @Test("what an init(from:) of one's own always reads is its shape", arguments: handmade)
    func initOfOnesOwn(expectation: Expectation) throws {
        #expect(try JSONSchema(of: expectation.type) == expectation.schema)
        _ = try shown(expectation.type)
    }

    private func shown<Value: Codable>(_ type: Value.Type) throws -> JSONSchema { try JSONSchema(shownBy: type) }

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
}

@Suite("A type whose shape cannot be told")
struct SchemaFaultTests {
    /// Text or a number.
    struct Union: Codable {
        var text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
        }
    }
    struct ByKind: Codable {
        enum Kind: String, Codable { case circle, square }
        var kind: Kind
        var radius = 0
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decode(Kind.self, forKey: .kind)
            if kind == .circle { radius = try container.decode(Int.self, forKey: .radius) }
        }
    }
    struct EitherMember: Codable {
        var a: Int?
        var b: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if container.contains(.a) {
                a = try container.decode(Int.self, forKey: .a)
            } else {
                b = try container.decode(String.self, forKey: .b)
            }
        }
    }
    struct Picky: Codable {
        init(from decoder: any Decoder) throws {
            guard try decoder.singleValueContainer().decode(String.self) == "open sesame" else {
                throw CancellationError()
            }
        }
        func encode(to encoder: any Encoder) throws {}
    }
    struct Silent: Codable {
        var number = 1
        init(from decoder: any Decoder) {}
    }
    struct Misspelt: Codable, MemberSummarizing {
        var title = ""
        static let memberSummaries = ["titel": "At most 80 letters."]
    }
    struct Board: Codable { var items: [String: [Union?]] }

    static let union = "reads one thing or another by what it finds; say its shape by conforming it to SchemaDescribing"

    enum Emptied: Codable { case full(Int), gone(Never) }

    struct Case: Sendable, CustomTestStringConvertible {
        let type: any (Codable & SendableMetatype).Type
        let path: String
        let words: String
        init(_ type: any (Codable & SendableMetatype).Type, at path: String = "", _ words: String) {
            (self.type, self.path, self.words) = (type, path, words)
        }
        var testDescription: String { "\(type)" }
    }

    static let faults = [
        Case(Union.self, union), Case(ByKind.self, union), Case(EitherMember.self, union),
        Case(Board.self, at: "items/*/*", union),
        Case(
            Picky.self,
            "takes none of the values that were made up for it; say its shape by conforming it to SchemaDescribing, "
                + "or give a member that does so a jsonExample"),
        Case(Silent.self, "does not tell what it reads; say its shape by conforming it to SchemaDescribing"),
        Case(Misspelt.self, "summarizes \"titel\", which it has not"),
        Case(UInt128.self, "is wider than a bound can be told: take UInt64, or a text"),
        Case(Emptied.self, at: "gone/_0", "has no value: leave out the case or the member that holds it"),
        Case(
            [IndexSet].self, at: "*",
            "ends the process where it is read from what it did not write: take [Int] instead"),
        Case(
            CharacterSet.self, "ends the process where it is read from what it did not write: take String instead"),
        Case(URLComponents.self, "ends the process where it is read from what it did not write: take URL instead"),
    ]

    @Test("is named, with the member that has it and what to write", arguments: faults)
    func named(fault: Case) {
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(of: fault.type) }
        #expect(thrown?.path.joined(separator: "/") == fault.path)
        #expect(thrown?.complaint == fault.words)
    }

    struct Crossed: Codable {
        var title = ""
        enum CodingKeys: CodingKey { case title }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(7, forKey: .title)
        }
    }

    @Test("is one that writes something else than it reads, too, where it is shown")
    func crossed() throws {
        #expect(try JSONSchema(of: Crossed.self) == .object([.init("title", .string)]))
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(shownBy: Crossed.self) }
        #expect(
            thrown?.description
                == "the shape of ViewModelsTests.SchemaFaultTests.Crossed is not known: it is written otherwise than it is "
                + "read; say its shape by conforming it to SchemaDescribing")
    }

    private final class Faulty: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Faulty>("faulty") {
            Output("count", \.count)
            Output("boards", \.boards)
        }

        var count: Int { model.count }
        var boards: [Board] { [] }
        let model: Model
        init(model: Model) { self.model = model }
    }

    enum Suit: String, Codable { case clubs, hearts }
    enum Rank: String, Codable, CodingKeyRepresentable { case ace }
    enum Draw: Codable { case cards(Set<Int>), none }
    struct Hand: Codable {
        var name = ""
        var cards: [Suit: Int]?
    }
    struct Nest: Codable {
        var children: [Nest]
        var kinds: [String: Set<Suit>]
    }

    static let sorted = "is written in another order each time: keep a sorted array"
    static let keyed =
        "is written in another order each time: take String or Int for its keys, or an enumeration of texts that conforms to "
        + "CodingKeyRepresentable"

    static let unordered = [
        Case(Set<Int>.self, sorted), Case([Suit: Int].self, keyed), Case(Hand.self, at: "cards", keyed),
        Case([Hand?].self, at: "*/cards", keyed), Case(Draw.self, at: "cards/_0", sorted),
        Case(Nest.self, at: "kinds/*", sorted),
    ]

    @Test(
        "is no set and no dictionary of other keys than names, but what is shown must not be one",
        arguments: unordered)
    func noOrder(fault: Case) throws {
        _ = try JSONSchema(of: fault.type)
        let thrown = #expect(throws: SchemaFault.self) { try shown(fault.type) }
        #expect(thrown?.path.joined(separator: "/") == fault.path)
        #expect(thrown?.complaint == fault.words)
    }

    private func shown<Value: Codable>(_ type: Value.Type) throws -> JSONSchema { try JSONSchema(shownBy: type) }

    @Test("is no dictionary whose keys are names, of what is shown either")
    func ordered() throws {
        #expect(try JSONSchema(shownBy: [Rank: Int].self) == .dictionary(.int, names: .oneOf(["ace"])))
        #expect(try JSONSchema(shownBy: [String: Int].self) == .dictionary(.int))
        #expect(try JSONSchema(shownBy: [Int: Bool].self) == .dictionary(.boolean, names: .int))
    }

    private final class Tagged: ViewModel {
        struct Note: Codable, Sendable { var tags: Set<String> = [] }
        struct Model: StoredModel { var notes: [Note] = [] }

        static let interface = Interface<Tagged>("tagged") {
            Output("count", \.count)
        }

        var count: Int { model.notes.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class Tagging: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Tagging>("tagging") {
            Output("count", \.count)
            Action("tag", example: [], Tagging.tag)
        }

        var count: Int { model.count }
        func tag(_ tags: Set<String>) {}
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class Mixed: ViewModel {
        struct Model: StoredModel {
            var rows = IndexSet()
            var union: Union?
            var large: UInt128 = 0
            var tags: Set<String> = []
        }

        static let interface = Interface<Mixed>("mixed") { Output("count", \.count) }

        var count: Int { model.tags.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a set is a fault of a declaration that stores it, also behind what has a shape that cannot be told")
    func storedBehind() {
        #expect(
            Declaration.hosting(Mixed.init(model:)).faults.map(\.description) == [
                "mixed: the model: its member tags, of Swift.Set<Swift.String> \(Self.sorted)"
            ])
    }

    @Test("a set is a fault of a declaration that stores it, or takes it as a body")
    func stored() {
        #expect(
            Declaration.hosting(Tagged.init(model:)).fault?.description
                == "tagged: the model: its member notes/*/tags, of Swift.Set<Swift.String> \(Self.sorted)")
        #expect(
            Declaration.hosting(Tagging.init(model:)).fault?.description
                == "tagging: the body of tag: Swift.Set<Swift.String> \(Self.sorted)")
    }

    @Test("is a fault of the declaration that has it")
    func declared() {
        #expect(
            Declaration.hosting(Faulty.init(model:)).fault?.description
                == "faulty: the output boards: the shape of its member */items/*/*, of "
                + "ViewModelsTests.SchemaFaultTests.Union is not known: it \(Self.union)")
    }
}

extension JSONSchema {
    /// What a `Double` is.
    static let double = JSONSchema.number(.greatestFiniteMagnitude)
    /// What an `Int` is.
    static let int = JSONSchema.integer(JSONSchema.range(of: Int.self))
}
