import Foundation
import Testing

@testable import ViewModels

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
    struct Summarized: Codable, MemberSummarizing, SchemaDescribing {
        static let jsonSchema = JSONSchema.string
        static let memberSummaries = ["title": "At most 80 letters."]
    }
    struct Board: Codable { var items: [String: [Union?]] }
    /// Whose own words for its shape fail.
    struct Undecided: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { get throws { throw CancellationError() } }
    }
    struct Draft: Codable { var state: Undecided }

    static let union = "reads one thing or another by what it finds; say its shape by conforming it to SchemaDescribing"

    static let unknown = "does not tell all that it reads; say its shape by conforming it to SchemaDescribing"

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
        Case(HandmadeSchemaTests.Flat<HandmadeSchemaTests.Title>.self, unknown),
        Case(HandmadeSchemaTests.Both<HandmadeSchemaTests.Text, [String: String]>.self, unknown),
        Case(HandmadeSchemaTests.Both<HandmadeSchemaTests.Text, HandmadeSchemaTests.Text?>.self, unknown),
        Case(HandmadeSchemaTests.Both<Int, String>.self, unknown),
        Case(HandmadeSchemaTests.Twice<HandmadeSchemaTests.Text, [String: String]>.self, unknown),
        Case(HandmadeSchemaTests.Either.self, union),
        Case(Silent.self, "does not tell what it reads; say its shape by conforming it to SchemaDescribing"),
        Case(Misspelt.self, "summarizes \"titel\", which it has not"),
        Case(Summarized.self, "has no members that could be summarized"),
        Case(Undecided.self, "says CancellationError()"),
        Case(Draft.self, at: "state", "says CancellationError()"),
        Case([Draft].self, at: "*/state", "says CancellationError()"),
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
        let thrown = #expect(throws: SchemaFault.self) { try FoundType.of(Crossed.self).shown.get() }
        #expect(
            thrown?.description
                == "the shape of ViewModelsTests.SchemaFaultTests.Crossed is not known: it is written otherwise than it is "
                + "read, at #/title, which must be a string; say its shape by conforming it to SchemaDescribing")
        for type in [[Crossed].self, [String: Crossed?].self] as [any Codable.Type] {
            let within = #expect(throws: SchemaFault.self) { try FoundType.of(type).shown.get() }
            #expect(within?.type == thrown?.type && within?.complaint == thrown?.complaint)
            #expect(within?.path == ["*"])
        }
    }

    struct Move: Codable {
        var by = 1
        enum CodingKeys: CodingKey { case by, kind }
        init(from decoder: any Decoder) throws {
            by = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .by)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(by, forKey: .by)
            try container.encode("move", forKey: .kind)
        }
    }

    @Test("is one that writes more members than it reads, where it is shown")
    func more() {
        let thrown = #expect(throws: SchemaFault.self) { try FoundType.of(Move.self).shown.get() }
        #expect(
            thrown?.complaint
                == "is written otherwise than it is read, at #/kind, which is unknown; known members: \"by\"; say its shape by "
                + "conforming it to SchemaDescribing")
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

    @Test("is a fault of the declaration that has it")
    func declared() {
        #expect(
            Declaration.hosting(Faulty.init(model:)).faults.first?.description
                == "faulty: the output boards: the shape of its member */items/*/*, of "
                + "ViewModelsTests.SchemaFaultTests.Union is not known: it \(Self.union)")
    }
}
