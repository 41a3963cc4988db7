import Samples
import Testing
import ViewModels

@testable import Service

/// Protects that the description has each request, response and problem.
@Suite("The OpenAPI description")
struct OpenAPIDocumentTests {
    private static func document(
        _ viewModels: [Declaration], program: (String, String) = ("Bindery", "1.0.0"),
        languages: Languages = Languages(.english)
    ) throws -> [UInt8] { try Catalogue(viewModels).openAPI(of: program, languages) }

    private static let samples = try? document(Declaration.samples, languages: Languages(.japanese, .english))
    private static let shownOutline = Outline(samples ?? [])

    private let text = String(decoding: samples ?? [], as: UTF8.self)
    private let outline = shownOutline

    @Test("each request is an operation with a name of its own; HEAD is not listed")
    func operations() {
        let operations = outline.keys(below: "paths").flatMap { path in
            outline.keys(below: "paths", path).filter { $0 != "parameters" }.map { method in
                "\(method) \(path) \(outline["paths", path, method, "operationId"] ?? "")"
            }
        }
        #expect(
            operations == [
                "get / showIndex", "get /changes getChanges", "get /counter getCounter",
                "get /counter-object getCounterObject",
                "post /counter-object/decrement decrementCounterObject",
                "post /counter-object/increment incrementCounterObject",
                "get /counter-stream getCounterStream",
                "post /counter-stream/decrement decrementCounterStream",
                "post /counter-stream/increment incrementCounterStream",
                "post /counter/decrement decrementCounter", "post /counter/increment incrementCounter",
                "get /greeting getGreeting", "post /greeting/increase-title increaseTitleGreeting",
                "get /login getLogin", "post /login/validate validateLogin",
                "get /orientation getOrientation", "get /orientation-observed getOrientationObserved",
                "post /orientation-observed/change changeOrientationObserved",
                "post /orientation/change changeOrientation",
                "get /profile getProfile", "get /profile/card getProfileCard", "post /profile/load loadProfile",
                "delete /session endSession", "get /session showSession",
                "patch /session changeSession", "get /sessions listSessions", "post /sessions beginSession",
                "delete /sessions/{id} endUserSession",
            ])
    }

    private func parameters(_ path: String, _ method: String) -> [String] {
        outline.keys(below: "paths", path, method, "parameters").compactMap { place in
            outline["paths", path, method, "parameters", place, "$ref"]?.split(separator: "/").last
                .map { String($0.dropLast()) }
        }
    }

    @Test(
        "a request has the headers of HTTP.md, and one response for all problems",
        arguments: [
            ("/counter", "get", ["IfMatch", "IfNoneMatch", "BinderySession"], "200 304 default"),
            ("/counter/increment", "post", ["IfMatch", "IdempotencyKey", "BinderySession"], "200 409 default"),
            ("/login/validate", "post", ["IfMatch", "IdempotencyKey", "BinderySession"], "200 default"),
        ])
    func request(path: String, method: String, parameters: [String], statuses: String) {
        #expect(self.parameters(path, method) == parameters)
        #expect(outline.keys(below: "paths", path, method, "responses").joined(separator: " ") == statuses)
    }

    @Test("a declared refusal is a response with its sentence")
    func refusal() {
        let response = outline["paths", "/counter/decrement", "post", "responses", "409", "description"]
        #expect(response == #""`/problems/action-disabled`: The count is zero.""#)
    }

    @Test("a body has a schema that takes no other members, and an example; an action without a body has none")
    func body() throws {
        let content = "paths › /profile/load › post › requestBody › content › application/json"
        let schema = try #require(outline.texts[content + " › schema"])
        #expect(schema.hasPrefix(#"{"type": "object", "properties": {"paramA": {"type": ["integer", "null"], "#))
        #expect(schema.hasSuffix(#""additionalProperties": false}"#))
        #expect(outline.texts[content + " › example"] == #"{"paramA":1,"paramB":"one"}"#)
        #expect(outline.keys(below: "paths", "/counter/increment", "post", "requestBody") == [])
    }

    @Test("outputs are a component with their sentences, and a facet is one of its own")
    func components() {
        #expect(outline["components", "schemas", "counter", "required"] == #"["text", "enabled", "alpha"]"#)
        #expect(
            outline["components", "schemas", "counter", "properties", "text"]
                == #"{"type": "string", "description": "The count in decimal digits."}"#)
        #expect(outline.keys(below: "components", "schemas", "profile.card", "properties") == ["paramB"])
        #expect(
            outline["components", "schemas", "login", "properties", "color"]?
                .hasPrefix(#"{"oneOf": [{"type": "string", "enum": ["green", "red"]}, {"type": "null"}]"#) == true)
    }

    @Test("a named entity that some callers see by a facet requires no output")
    func byFacet() throws {
        struct Desk: ViewModel {
            var names: [String] = []
            static let interface = Interface<Desk>("desk") {
                Output("names", \.names)
                Facet("board", showing: "names")
            }
        }
        let document = try Self.document([.hosting(Desk.self, at: "desks", keys: .listed("main"))])
        let outline = Outline(document)
        #expect(outline["components", "schemas", "desks", "required"] == "[]")
        #expect(outline["components", "schemas", "desks.board", "required"] == #"["names"]"#)
    }

    @Test("no place is left, no key is there twice, and each reference leads somewhere")
    func isWhole() {
        #expect(text.firstMatch(of: /<[a-zA-Z]+>/) == nil)
        #expect(!text.contains("\t"))
        #expect(outline.repeated == [])
        for match in text.matches(of: /#\/components\/(\w+)\/([\w.-]+)"/) {
            #expect(outline.keys(below: "components", String(match.1)).contains(String(match.2)), "\(match.0)")
        }
    }

    @Test("each problem of the server stands at its status", arguments: ProblemType.allCases)
    func problem(type: ProblemType) {
        let line = text.split(separator: "\n").first { $0.hasPrefix("        - \(type.row.status): ") }
        #expect(line?.contains("`\(type.slug)`") == true)
    }

    @Test("a program is described by its name and version, whatever is in them")
    func program() throws {
        let program = ("Shop: \"all\"\n# <tags>", "0.0.0")
        let outline = Outline(try Self.document(Declaration.samples, program: program))
        #expect(outline["info", "title"] == #""Shop: \"all\"\n# <tags>""#)
        #expect(outline["info", "version"] == #""0.0.0""#)
    }
}
