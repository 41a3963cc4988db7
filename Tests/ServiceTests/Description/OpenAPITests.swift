import Foundation
import HTTP
import Samples
import Sessions
import Testing
import ViewModels

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
        let isSame = Array(committed) == OpenAPIDocument(catalogue: .samples).bytes
        #expect(isSame)
    }

    @Test(
        "every route is described but the description's own, which no generated client could read, and nothing else is")
    func routes() {
        let service = Service(registry: SessionRegistry(catalogue: .samples, store: MemoryStore()))
        let routes = service.routes.filter { $0.template != "/openapi.yaml" }
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
            (JSONSchema(of: Int8.self), "format: int32\nminimum: -128\nmaximum: 127"),
            (JSONSchema(of: UInt32.self), "format: int64\nminimum: 0\nmaximum: 4294967295"),
            (JSONSchema(of: Int.self), "format: int64\nminimum: -9223372036854775808\nmaximum: 9223372036854775807"),
            (JSONSchema(of: UInt64.self), "minimum: 0\nmaximum: 18446744073709551615"),
            (JSONSchema(of: Int?.self), "format: int64\nminimum: -9223372036854775808\nmaximum: 9223372036854775807"),
        ])
    func integers(schema: JSONSchema, lines: String) { #expect(YAML(schema).document.hasSuffix(lines + "\n")) }

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
