import Foundation
import HTTP
import Samples
import Sessions
import Testing
import ViewModels
import WebFiles

@testable import Service

@Suite("The OpenAPI description")
struct OpenAPITests {
    struct Operation: Hashable, Comparable, CustomStringConvertible {
        let method: String
        let path: String
        var description: String { "\(method) \(path)" }
        static func < (left: Operation, right: Operation) -> Bool { left.description < right.description }
    }

    static let text = String(decoding: OpenAPIDocument(catalogue: .samples).bytes, as: UTF8.self)

    /// The operations of the document, read from its indentation: paths at two spaces, methods at four.
    static var operations: [Operation] {
        var operations: [Operation] = []
        var path: String?
        let lines = text.split(separator: "\n").drop { $0 != "paths:" }.dropFirst().prefix { $0.hasPrefix(" ") }
        for line in lines {
            if let match = line.wholeMatch(of: /\ \ (\/.*):/) { path = String(match.1) }
            guard let method = line.wholeMatch(of: /\ {4}([a-z]+):/), let path else { continue }
            operations.append(Operation(method: method.1.uppercased(), path: path))
        }
        return operations
    }

    @Test("openapi.yaml in the repository is what the generator makes: bindery openapi > openapi.yaml")
    func file() throws {
        let committed = try Data(contentsOf: sourceFile("openapi.yaml"))
        let program = ServedProgram(name: "bindery", version: Version.current)
        let isSame = Array(committed) == OpenAPIDocument(catalogue: .samples, of: program).bytes
        #expect(isSame)
    }

    @Test("says what made it, and that a test holds it to the routes where one does")
    func origin() {
        func first(_ program: ServedProgram) -> String? {
            let document = OpenAPIDocument(catalogue: .samples, of: program)
            return String(decoding: document.bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
        }
        let own = "# Made by `bindery openapi`; a test holds it to the routes. Do not edit."
        #expect(first(ServedProgram(name: "bindery", version: Version.current)) == own)
        let other = ServedProgram(name: "Shop\nof: all", version: nil)
        #expect(first(other) == "# Made by Shop of: all from its view models. Do not edit.")
        #expect(first(.bindery) == "# Made by Bindery from its view models. Do not edit.")
    }

    @Test("a program is described by its own name and version, and as 0.0.0 where it has none")
    func program() {
        func text(_ version: String?) -> String {
            let program = ServedProgram(name: "Tickets", version: version)
            return String(decoding: OpenAPIDocument(catalogue: .samples, of: program).bytes, as: UTF8.self)
        }
        #expect(text("1.4.2").contains("  title: Tickets\n  version: \"1.4.2\"\n"))
        #expect(text("").contains("  title: Tickets\n  version: \"0.0.0\"\n"))
    }

    @Test(
        "every route is described but those of files, which no generated client could read, and nothing else is")
    func routes() {
        let service = Service(registry: SessionRegistry(catalogue: .samples, store: MemoryStore()))
        let files = ["/openapi.yaml"] + (WebFile.modules + WebFile.ofPage).map(\.path)
        let routes = service.routes.filter { !files.contains($0.template) }
            .map { Operation(method: $0.method.rawValue, path: $0.template) }
        #expect(Self.operations.sorted() == routes.sorted())
    }

    @Test("every problem of the service's own is described where its status is")
    func problems() {
        for type in ProblemType.ofService + ProblemType.ofServer {
            #expect(Self.text.contains("/problems/\(type.slug)"))
            #expect(Self.text.contains("\n    Problem\(type.status):\n"))
        }
    }

    /// The statuses that an operation of the document names.
    private static func statuses(of operation: Operation) -> Set<String> {
        let rest = text.split(separator: "\n").drop { $0 != "  \(operation.path):" }.dropFirst()
            .prefix { !$0.hasPrefix("  /") && $0.hasPrefix(" ") }
        let lines = rest.drop { $0 != "    \(operation.method.lowercased()):" }.dropFirst()
            .prefix { $0.hasPrefix("     ") }
        return Set(lines.compactMap { $0.wholeMatch(of: /\ {8}"(\d+)":.*/).map { String($0.1) } })
    }

    @Test("what shows view models may fail as they do, 500 and 503; an action alone is given up, 504")
    func failures() {
        for operation in Self.operations {
            let statuses = Self.statuses(of: operation)
            let isAction = operation.method == "POST" && operation.path != "/sessions"
            #expect(statuses.contains("504") == isAction, "\(operation)")
            let isShowing =
                Catalogue.samples.viewModels.contains { operation.path.hasPrefix("/\($0.name)") }
                || ["GET /session", "GET /changes"].contains(operation.description)
            if isShowing { #expect(statuses.isSuperset(of: ["500", "503"]), "\(operation)") }
        }
    }

    @Test("every reference leads somewhere")
    func references() {
        for match in Self.text.matches(of: /#\/components\/(\w+)\/([\w-]+)/) {
            #expect(Self.text.contains("\n    \(match.2):"), "\(match.0)")
        }
    }

    @Test("every operation has an id of its own that makes a method's name in any language")
    func operationIDs() {
        let ids = Self.text.matches(of: /operationId: (.+)/).map { String($0.1) }
        let operations = ids.filter { $0 != "getChanges" }
        #expect(Set(ids).count == Self.operations.count)
        #expect(operations.count == Self.operations.count - 1)
        for id in ids { #expect(id.wholeMatch(of: /[a-z]+([A-Z][a-z0-9]*)+/) != nil, "\(id)") }
    }

    @Test(
        "a number may be as large as its type, and a generator is told which type is wide enough",
        arguments: [
            (JSONSchema.integer(JSONSchema.range(of: Int8.self)), "format: int32\nminimum: -128\nmaximum: 127"),
            (JSONSchema.integer(JSONSchema.range(of: UInt32.self)), "format: int64\nminimum: 0\nmaximum: 4294967295"),
            (
                JSONSchema.integer(JSONSchema.range(of: Int.self)),
                "format: int64\nminimum: -9223372036854775808\nmaximum: 9223372036854775807"
            ),
            (JSONSchema.integer(JSONSchema.range(of: UInt64.self)), "minimum: 0\nmaximum: 18446744073709551615"),
            (
                JSONSchema.nullable(.integer(JSONSchema.range(of: Int.self))),
                "format: int64\nminimum: -9223372036854775808\nmaximum: 9223372036854775807"
            ),
        ])
    func integers(schema: JSONSchema, lines: String) {
        #expect(YAML(schema, called: ComponentNames()).document.hasSuffix(lines + "\n"))
    }

    static let shapes: [(JSONSchema, String)] = [
        (.formatted(.uuid), #"{"type": "string", "format": "uuid"}"#),
        (.nullable(.formatted(.url)), #"{"type": ["string", "null"], "format": "uri-reference"}"#),
        (
            .formatted(.base64),
            #"{"type": "string", "contentEncoding": "base64", "pattern": "#
                + #""^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"}"#
        ),
        (.oneOfIntegers([-7, 9]), #"{"type": "integer", "enum": [-7, 9]}"#),
        (.date, #"{"type": "number", "format": "double", "description": "Seconds since 2001-01-01T00:00:00Z."}"#),
        (.number(1e127), #"{"type": "number"}"#),
        (.number(as: Float.self), #"{"type": "number", "format": "float"}"#),
        (.number(as: Double.self), #"{"type": "number", "format": "double"}"#),
        // A bound is no width, by which a client would read other numbers.
        (.number(100), #"{"type": "number", "minimum": -100.0, "maximum": 100.0}"#),
        (.nullable(.number(1e30)), #"{"type": ["number", "null"], "minimum": -1.0e+30, "maximum": 1.0e+30}"#),
        // Null would be a value of both, and so of neither.
        (.nullable(.anything), "{}"),
        (
            .dictionary(.boolean, names: .integer(0...1)),
            """
            {
              "type": "object",
              "additionalProperties": {"type": "boolean"},
              "propertyNames": {"pattern": "^(0|-?[1-9][0-9]*)$"}
            }
            """
        ),
        (
            .tuple([.boolean, .string]),
            """
            {
              "type": "array",
              "prefixItems": [
                {"type": "boolean"},
                {"type": "string"}
              ],
              "items": false,
              "minItems": 2,
              "maxItems": 2
            }
            """
        ),
        (
            .pairs(.formatted(.uuid), .boolean),
            """
            {
              "type": "array",
              "items": {
                "anyOf": [
                  {"type": "string", "format": "uuid"},
                  {"type": "boolean"}
                ]
              },
              "description": "Keys and values by turns."
            }
            """
        ),
        (
            .choice([.init("on", .object([])), .init("text", .string, summary: "As typed.")]),
            """
            {
              "oneOf": [
                {
                  "type": "object",
                  "properties": {
                    "on": {
                      "type": "object",
                      "properties": {}
                    }
                  },
                  "required": ["on"],
                  "additionalProperties": false
                },
                {
                  "type": "object",
                  "properties": {
                    "text": {"type": "string", "description": "As typed."}
                  },
                  "required": ["text"],
                  "additionalProperties": false
                }
              ]
            }
            """
        ),
        (.named("Shop.Tree<Int>", .string), ##"{"$ref": "#/components/schemas/Shop.Tree-Int-"}"##),
    ]

    @Test("every shape is said in JSON Schema", arguments: shapes)
    func shape(schema: JSONSchema, json: String) {
        #expect(Self.normalized(YAML(schema, called: ComponentNames()).json) == Self.normalized(json))
    }

    private static func normalized(_ json: String) -> String { json.filter { !$0.isWhitespace } }

    private final class Forester: ViewModel {
        struct Tree: StoredValue, MemberSummarizing {
            var label = ""
            var planted: Date?
            var children: [Tree] = []
            static let memberSummaries = ["label": "On a sign.", "planted": "By whom is not known."]
        }
        struct Model: StoredModel { var tree = Tree() }

        static let interface = Interface<Forester>("forester") {
            Output("tree", \.tree, "The one that was planted.")
            Action("plant", example: Tree(), Forester.plant)
        }
        func plant(_ tree: Tree) { model.tree = tree }
        var tree: Tree { model.tree }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a type that contains itself is a component, in a body another one; members have their sentences")
    func recursive() throws {
        let document = OpenAPIDocument(catalogue: Catalogue([.hosting(Forester.init(model:))]))
        let text = String(decoding: document.bytes, as: UTF8.self)
        let name = "ServiceTests.OpenAPITests.Forester.Tree"
        for line in [
            "    \(name):\n      type: object", "    \(name)-body:\n      type: object",
            "          description: The one that was planted.", "          description: On a sign.",
            #"          description: "By whom is not known. Seconds since 2001-01-01T00:00:00Z.""#,
            "\"#/components/schemas/\(name)\"", "\"#/components/schemas/\(name)-body\"",
            "        planted:\n          type: number", "        planted:\n          type:\n            - number",
        ] { #expect(text.contains(line), "\(line)") }
        #expect(text.matches(of: /\n {4}ServiceTests/).count == 2)
    }

    private final class Guesser: ViewModel {
        struct Guess: Codable, Sendable {
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if (try? container.decode(Int.self)) == nil { _ = try container.decode(String.self) }
            }
        }
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Guesser>("guesser") {
            Output("count", \.count)
            Action("guess", example: [Guess()], Guesser.guess)
        }
        func guess(_ guess: [Guess]) {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a type that cannot be described keeps the server from starting, and is named with its place")
    func unknown() {
        var options = BinderyServer.Options()
        options.port = 0
        let server = BinderyServer(viewModels: [.hosting(Guesser.init(model:))], options: options)
        let fault = #expect(throws: DeclarationFault.self) { try server.start() }
        #expect(
            fault?.description
                == "guesser: the body of guess: the shape of its member *, of ServiceTests.OpenAPITests.Guesser.Guess is not "
                + "known: it reads one thing or another by what it finds; say its shape by conforming it to SchemaDescribing"
        )
    }

    private final class Order: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Order>("order") {
            Output("count", \.count)
            Action("addItems", Order.add)
            Action("add-items", Order.add)
            Facet("items", showing: "count")
        }
        func add() {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class OrderItems: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<OrderItems>("order-items") { Output("count", \.count) }
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class Problem: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Problem>("Problem") { Output("count", \.count) }
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("names that come near one another, or the service's own, are no component and no operation twice")
    func apart() throws {
        let document = OpenAPIDocument(
            catalogue: Catalogue([
                .hosting(Order.init(model:)), .hosting(OrderItems.init(model:)), .hosting(Problem.init(model:)),
            ]))
        let text = String(decoding: document.bytes, as: UTF8.self)
        let ids = text.matches(of: /\n {6}operationId: (\S+)/).map { String($0.1) }
        #expect(Set(ids).count == ids.count, "\(ids)")
        #expect(ids.contains("addItemsOrder2") && ids.contains("getOrderItems2"))
        let schemas = try #require(text.firstRange(of: "  schemas:\n"))
        let parameters = try #require(text.firstRange(of: "\n  parameters:\n"))
        let keys = text[schemas.upperBound..<parameters.lowerBound].matches(of: /(?:^|\n) {4}(\S+):\n/).map {
            String($0.1)
        }
        #expect(Set(keys).count == keys.count, "\(keys)")
        for key in ["order", "order-items", "order.items2", "Problem", "Problem2"] { #expect(keys.contains(key)) }
        // Each is led to by what answers it.
        #expect(text.contains("#/components/schemas/Problem2\""))
    }

    @Test("no component, operation or tag has another's name where letters and digits alone count, in whatever case")
    func apartInCode() throws {
        let document = OpenAPIDocument(catalogue: Catalogue(Near.viewModels))
        let text = String(decoding: document.bytes, as: UTF8.self)
        let schemas = try #require(text.firstRange(of: "  schemas:\n"))
        let parameters = try #require(text.firstRange(of: "\n  parameters:\n"))
        let keys = text[schemas.upperBound..<parameters.lowerBound].matches(of: /(?:^|\n) {4}(\S+):\n/)
        let tags = text.matches(of: /\n {2}- name: (\S+)\n/)
        let ids = text.matches(of: /\n {6}operationId: (\S+)/)
        for names in [keys.map(\.1), tags.map(\.1), ids.map(\.1)] {
            let inCode = names.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
            #expect(names.count >= Near.viewModels.count)
            #expect(Set(inCode).count == inCode.count, "\(names)")
        }
        let known = Set(keys.map(\.1))
        for led in text.matches(of: /#\/components\/schemas\/([^"]+)"/) { #expect(known.contains(led.1), "\(led.1)") }
    }

    /// The components of a description, each with its text.
    private static func schemas(of viewModels: [Declaration]) throws -> [(key: String, text: String)] {
        let text = String(decoding: OpenAPIDocument(catalogue: Catalogue(viewModels)).bytes, as: UTF8.self)
        let start = try #require(text.firstRange(of: "  schemas:\n")).upperBound
        let schemas = text[start...].split(separator: "\n").prefix { $0.hasPrefix("    ") }
        return schemas.reduce(into: []) { found, line in
            if let key = line.wholeMatch(of: /\ {4}(\S+):/) {
                found.append((String(key.1), ""))
            } else if !found.isEmpty {
                found[found.count - 1].text += "\(line)\n"
            }
        }
    }

    @Test("two types that contain themselves are two components, however near their names are; one is one")
    func namesakes() throws {
        #expect(Namesakes.viewModels.flatMap(\.faults) == [])
        let schemas = try Self.schemas(of: Namesakes.viewModels)
        let keys = schemas.map(\.key)
        let inCode = keys.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
        #expect(Set(inCode).count == inCode.count, "\(keys)")
        let members = ["upper", "here", "there", "lower", "bodily", "size", "greetings"]
        let views = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]
        for (view, member) in zip(views, members) {
            // As an output and as a body, and nowhere else.
            let own = schemas.filter { $0.text.contains("\n        \(member):\n") }
            #expect(own.count == 2, "\(member)")
            let output = try #require(schemas.first { $0.key == view }?.text)
            #expect(own.contains { output.contains("/schemas/\($0.key)\"") }, "\(view)")
            for type in own { #expect(type.text.contains("/schemas/\(type.key)\""), "\(type)") }
        }
        let again = try #require(schemas.first { $0.key == "again" }?.text)
        #expect(again.contains("/schemas/ServiceTests.Namesakes.Node\""))
        let index = String(
            decoding: ServiceIndex(catalogue: Catalogue(Namesakes.viewModels), of: .bindery).json, as: UTF8.self)
        for led in index.matches(of: /#\/components\/schemas\/([^"]+)"/) { #expect(keys.contains(String(led.1))) }
        #expect(Set(index.matches(of: /#\/components\/schemas\/([^"]+)"/).map(\.1)).count == 7)
    }

    @Test("what YAML does not print is escaped, in texts and in examples, and nothing else")
    func unprintable() {
        let value = YAML.list([.text("\u{7F}é: "), .json(Array("[\"\u{FEFF}\u{90}é😀\"]".utf8)), .text("plain")])
        #expect(value.document == "- \"\\u007fé: \"\n- [\"\\ufeff\\u0090é😀\"]\n- plain\n")
    }

    @Test("a value as JSON for people has its members in order, what is short on one line")
    func json() {
        let value: YAML = [
            "name": "é \"quoted\"", "empty": [], "list": [1, true], "nested": ["a": ["b": .json(Array("null".utf8))]],
        ]
        #expect(
            value.json == """
                {
                  "name": "é \\"quoted\\"",
                  "empty": [],
                  "list": [1, true],
                  "nested": {
                    "a": {"b": null}
                  }
                }
                """)
    }

    @Test("the generator gives the same bytes each time")
    func stable() {
        #expect(OpenAPIDocument(catalogue: .samples).bytes == OpenAPIDocument(catalogue: .samples).bytes)
    }
}
