import Testing

@testable import ViewModels

@Suite("JSONSchema of a type with an init(from:) or a shape of its own")
struct HandmadeSchemaTests {
    typealias Expectation = SchemaTests.Expectation

    struct ISBN: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .string }
        static let jsonExample = "\"9783161484100\""
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
        static let jsonExample = "{"
    }

    @Test("a type that takes few of what has its shape gives an example, from which what holds it is known")
    func given() throws {
        #expect(try FoundType.of(Book.self).shown.get() == .object([.init("isbn", .string)]))
        #expect(try FoundType.of(Happening.self).shown.get() == .object([.init("details", .anything)]))
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: Wrong.self) }
        #expect(fault?.complaint == "does not read its jsonExample, {")
    }

    struct Loose: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .array(.reference("Tree")) }
    }
    struct Folder: Codable {
        var files: [File]
    }
    struct File: Codable, SchemaDescribing {
        var folder: Folder?
        static var jsonSchema: JSONSchema {
            get throws { .object([.init("folder", try JSONSchema(of: Folder?.self), isRequired: false)]) }
        }
    }

    @Test("a shape that refers to one that is not around it is a fault, and to one that is around it is none")
    func references() throws {
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: [Loose].self) }
        #expect(fault?.path == ["*"])
        #expect(fault?.complaint.hasPrefix(#"says .reference("Tree"), with no .named("Tree", …) around it"#) == true)
        for known in [try JSONSchema(of: Folder.self), try JSONSchema(of: File.self)] {
            #expect(known.references.isEmpty)
            #expect(known.definitions.count == 1)
        }
    }

    @Test(
        "what is no shape is a fault that says so",
        arguments: [
            (JSONSchema.object([.init("a", .string), .init("b", .string), .init("a", .date)]), "\"a\" twice"),
            (.array(.choice([.init("a", .string), .init("a", .boolean)])), "\"a\" twice"),
            (.choice([]), "a choice of nothing"), (.oneOf([]), "a choice of nothing"),
            (.nullable(.oneOfIntegers([])), "a choice of nothing"), (.named("", .string), "give the shape a name"),
            (.named("A", .reference("A")), "itself and nothing else"),
            (.named("A", .nullable(.named("B", .reference("A")))), "itself and nothing else"),
            (.named("A", .tuple([.reference("A"), .reference("B")])), "says .reference(\"B\")"),
            (.dictionary(.string, names: .oneOf([])), "a choice of nothing"),
            (.dictionary(.string, names: .reference("B")), "says .reference(\"B\")"),
            (.oneOf(["a", "b", "a"]), "the choice \"a\" twice"), (.oneOfIntegers([1, 2, 2]), "the choice 2 twice"),
            (.number(-5), "the largest magnitude"), (.number(.nan), "the largest magnitude"),
            (.number(.infinity), "the largest magnitude"),
        ])
    func noShape(_ schema: JSONSchema, _ words: String) throws {
        #expect(try #require(schema.complaint(around: [])).contains(words))
    }

    struct Looped: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { .named("Looped", .reference("Looped")) }
    }
    struct MaybeLooped: Codable {
        var name: String
        var looped: Looped?
    }

    struct OfItself: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { get throws { try JSONSchema(of: Self.self) } }
        static let jsonExample = "{}"
    }
    struct OfAnother: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { get throws { try JSONSchema(of: OfThat.self) } }
    }
    struct OfThat: Codable, SchemaDescribing {
        static var jsonSchema: JSONSchema { get throws { try JSONSchema(of: OfAnother?.self) } }
    }

    @Test("a type that says its own shape of itself, or of one that says so of it, is a fault", arguments: [0, 1])
    func ofItself(place: Int) {
        let types: [any Codable.Type] = [OfItself.self, OfAnother.self]
        let fault = #expect(throws: SchemaFault.self) { try shown(types[place]) }
        #expect(fault?.complaint.contains("itself and nothing else") == true)
    }

    struct Spoken: Codable, SchemaDescribing {
        static let jsonSchema = JSONSchema.integer(0...9)
        static let jsonExample = "\"nine\""
        init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("nine")
        }
    }

    @Test("an example that is not of the shape that its type says is a fault")
    func exampleOfAnotherShape() {
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: [Spoken].self) }
        #expect(
            fault?.complaint
                == "says a jsonExample, \"nine\", that has not the shape of its type, at #: it must be a whole number from 0 to 9"
        )
    }

    struct Colour: Codable, SchemaDescribing {
        var hex: String
        static let jsonSchema = JSONSchema.string
        static let jsonExample = "\"#ffcc00\""
        enum CodingKeys: CodingKey { case hex }
        init(from decoder: any Decoder) throws {
            hex = try decoder.singleValueContainer().decode(String.self)
            guard hex.hasPrefix("#f") else { throw CancellationError() }
        }
    }
    struct Painted: Codable {
        var colour: Colour
        var coats: Int
    }

    @Test("what is written otherwise than its type says is found by the example, also within another")
    func writtenOtherwise() {
        let colour = #expect(throws: SchemaFault.self) { try shown(Colour.self) }
        #expect(
            colour?.complaint
                == "is written otherwise than it says, at #, which must be a string; let its jsonSchema say what encode(to:) writes"
        )
        let painted = #expect(throws: SchemaFault.self) { try shown(Painted.self) }
        #expect(painted?.complaint.contains("at #/colour, which must be a string") == true)
    }

    @Test("what is no shape is found within a body")
    func noShapeWithin() {
        let fault = #expect(throws: SchemaFault.self) { try JSONSchema(of: MaybeLooped.self) }
        #expect(fault?.path == ["looped"])
        #expect(fault?.complaint.contains("itself and nothing else") == true)
    }

    @Test("a shape that holds itself in a list, or where it may be null, is no fault")
    func shapes() {
        let members = [
            JSONSchema.Member("children", .array(.reference("A"))), .init("next", .nullable(.reference("B"))),
        ]
        let tree = JSONSchema.named("A", .object(members))
        #expect(tree.complaint(around: ["B"]) == nil)
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

    /// Its members stand beside those of what it reads from the same object, before or after.
    struct Flat<Around: Codable>: Codable {
        var around: Around
        var inner: Int
        enum CodingKeys: CodingKey { case inner }
        init(from decoder: any Decoder) throws {
            inner = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .inner)
            around = try decoder.singleValueContainer().decode(Around.self)
        }
        func encode(to encoder: any Encoder) throws {
            try around.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(inner, forKey: .inner)
        }
    }
    /// Reads two types from the same value.
    struct Both<One: Codable, Other: Codable>: Codable {
        var one: One
        var other: Other
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            (one, other) = try (container.decode(One.self), container.decode(Other.self))
        }
        func encode(to encoder: any Encoder) throws {
            try one.encode(to: encoder)
            try other.encode(to: encoder)
        }
    }
    typealias Pair = Both<Flat<Text>, Named>
    /// The same, of a member.
    struct Twice<One: Codable, Other: Codable>: Codable {
        var one: One
        var other: Other
        enum CodingKeys: CodingKey { case item }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            one = try container.decode(One.self, forKey: .item)
            other = try container.decode(Other.self, forKey: .item)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(one, forKey: .item)
        }
    }
    /// One or the other, or both.
    struct Either: Codable {
        var text: Text?
        var name: Named?
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            (text, name) = (try? container.decode(Text.self), try? container.decode(Named.self))
            if text == nil, name == nil { throw CancellationError() }
        }
    }
    struct Text: Codable { var text: String }
    struct Named: Codable, SchemaDescribing {
        var name: String
        static let jsonSchema = JSONSchema.object([.init("name", .string)])
    }

    static let handmade = [
        Expectation(Twice<Int, Int>.self, .object([.init("item", .int)])),
        Expectation(Twice<Int, Double>.self, .object([.init("item", .int)])),
        Expectation(
            Both<Text, Pair>.self, .object([.init("text", .string), .init("inner", .int), .init("name", .string)])),
        Expectation(Flat<Named>.self, .object([.init("inner", .int), .init("name", .string)])),
        Expectation(Pair.self, .object([.init("inner", .int), .init("text", .string), .init("name", .string)])),
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

    @Test("what is read as two kinds of number is the narrower, in whatever order")
    func narrower() throws {
        #expect(try JSONSchema(of: Twice<Double, Int>.self) == JSONSchema(of: Twice<Int, Double>.self))
    }

    private func shown<Value: Codable>(_ type: Value.Type) throws -> JSONSchema { try FoundType.of(type).shown.get() }
}
