import Testing

@testable import ViewModels

@Suite("JSONSchema of a type that contains itself")
struct RecursiveSchemaTests {
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
        func name(_ type: String) -> String { "ViewModelsTests.RecursiveSchemaTests.\(type)" }
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
        #expect(try FoundType.of([[Tree]?].self).shown.get() == .array(.nullable(.array(tree))))
        #expect(try JSONSchema(of: Tree?.self) == .nullable(tree))
        #expect(try JSONSchema(of: Node?.self) == .nullable(JSONSchema(of: Node.self)))
        #expect(try JSONSchema(of: [Block].self) == .array(JSONSchema(of: Block.self)))
        #expect(try FoundType.of([String: Cat].self).shown.get() == .dictionary(JSONSchema(of: Cat.self)))
    }

    struct Remark: Codable {
        var text: String
        var media: Media?
    }
    indirect enum Media: Codable { case quote(Remark) }

    @Test("two types of which each may hold the other have a shape, whichever is met first")
    func mutual() throws {
        func name(_ type: String) -> String { "ViewModelsTests.RecursiveSchemaTests.\(type)" }
        func remark(_ media: JSONSchema) -> JSONSchema {
            .object([.init("text", .string), .init("media", .nullable(media), isRequired: false)])
        }
        func media(_ remark: JSONSchema) -> JSONSchema { .choice([.init("quote", .object([.init("_0", remark)]))]) }
        #expect(
            try JSONSchema(of: Remark.self) == .named(name("Remark"), remark(media(.reference(name("Remark"))))))
        #expect(try JSONSchema(of: Media.self) == .named(name("Media"), media(remark(.reference(name("Media"))))))
        #expect(throws: Never.self) { try FoundType.of([Remark].self).shown.get() }
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
        let name = "ViewModelsTests.RecursiveSchemaTests.Node"
        #expect(definitions.map(\.name) == [name, "\(name)2"])
        #expect(
            definitions.last?.schema
                == .named("\(name)2", .object([.init("leaves", .array(.reference("\(name)2")))])))
    }
}
