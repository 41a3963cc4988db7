import Samples
import Testing
import ViewModels

@testable import Service

@Suite("The OpenAPI description")
struct OpenAPIDocumentTests {
    private static func document(
        _ viewModels: [Declaration], program: ServedProgram = .bindery, languages: Languages = Languages(.english)
    ) throws -> OpenAPIDocument {
        OpenAPIDocument(catalogue: try Catalogue(viewModels), program: program, languages: languages)
    }

    private static let samples = try? document(Declaration.samples, languages: Languages(.japanese, .english))
    private static let shownOutline = Outline(samples?.text ?? [])

    private let text = String(decoding: samples?.text ?? [], as: UTF8.self)
    private let outline = shownOutline

    @Test("each request is an operation with a name of its own; HEAD is not listed")
    func operations() {
        let operations = outline.keys(below: "paths").flatMap { path in
            outline.keys(below: "paths", path).map { method in
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
                "get /livez checkLiveness", "get /login getLogin", "post /login/validate validateLogin",
                "get /orientation getOrientation", "get /orientation-observed getOrientationObserved",
                "post /orientation-observed/change changeOrientationObserved",
                "post /orientation/change changeOrientation", "get /problems/{slug} explainProblem",
                "get /profile getProfile", "get /profile/card getProfileCard", "post /profile/load loadProfile",
                "get /readyz checkReadiness", "delete /session endSession", "get /session showSession",
                "patch /session changeSession", "post /sessions beginSession",
            ])
    }

    private func parameters(_ path: String, _ method: String) -> [String] {
        outline.keys(below: "paths", path, method, "parameters").compactMap { place in
            outline["paths", path, method, "parameters", place, "$ref"]?.split(separator: "/").last
                .map { String($0.dropLast()) }
        }
    }

    @Test(
        "a request has the headers and the statuses of HTTP.md",
        arguments: [
            (
                "/counter", "get", ["IfMatch", "IfNoneMatch", "BinderySession"],
                "200 304 400 401 412 414 421 429 431 500 503"
            ),
            (
                "/counter/decrement", "post", ["IfMatch", "IdempotencyKey", "BinderySession"],
                "200 400 401 403 409 412 413 414 415 421 422 429 431 500 503 504"
            ),
            (
                "/login/validate", "post", ["IfMatch", "IdempotencyKey", "BinderySession"],
                "200 400 401 403 412 413 414 415 421 422 429 431 500 503 504"
            ),
            (
                "/changes", "get",
                ["since", "wait", "topics", "values", "lastEventId", "LastEventID", "BinderySession"],
                "200 400 401 414 421 429 431 500 503"
            ),
            ("/sessions", "post", ["AcceptLanguage"], "201 400 403 413 414 415 421 422 429 431 503"),
            (
                "/session", "patch", ["BinderySession"],
                "200 400 401 403 413 414 415 421 422 429 431 500 503"
            ),
            ("/session", "delete", ["BinderySession"], "204 400 401 403 414 421 431 503"),
        ])
    func request(path: String, method: String, parameters: [String], statuses: String) {
        #expect(self.parameters(path, method) == parameters)
        #expect(outline.keys(below: "paths", path, method, "responses").joined(separator: " ") == statuses)
    }

    @Test("a declared refusal is a response with its sentence, and an example")
    func refusal() {
        let response = ["paths", "/counter/decrement", "post", "responses", "409"].joined(separator: " › ")
        #expect(outline.texts[response + " › description"] == #""`/problems/action-disabled`: The count is zero.""#)
        #expect(
            outline.texts[response + " › content › application/problem+json › example"]
                == #"{"type":"/problems/action-disabled","title":"The action is disabled","status":409,"#
                + #""detail":"The count is zero.","instance":"8dwc1rme-5"}"#)
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

    @Test("examples are the state before the first action, in the default language")
    func examples() {
        let example = outline["paths", "/counter", "get", "responses", "200", "content", "application/json", "example"]
        #expect(example == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        let session = "components › responses › SessionState › content › application/json › example"
        #expect(outline.texts[session]?.contains(#"language: "ja", viewModels: {"counter": {"text":"0","#) == true)
        #expect(outline["components", "parameters", "topics", "example"] == #"["counter"]"#)
    }

    @Test("no place is left, no key is there twice, and each reference leads somewhere")
    func isWhole() {
        #expect(text.firstMatch(of: /<[a-zA-Z]+>/) == nil)
        #expect(!text.contains("# each") && !text.contains("# end") && !text.contains("\t"))
        #expect(outline.repeated == [])
        for match in text.matches(of: /#\/components\/(\w+)\/([\w.-]+)"/) {
            #expect(outline.keys(below: "components", String(match.1)).contains(String(match.2)), "\(match.0)")
        }
    }

    @Test("each problem of the server stands at its status", arguments: ProblemType.all)
    func problem(type: ProblemType) {
        let response = outline["components", "responses", "Problem\(type.status)", "description"]
        #expect(response?.contains("`/problems/\(type.slug)`") == true)
    }

    @Test("a program is described by its name and version, whatever is in them")
    func program() throws {
        let program = ServedProgram(name: "Shop: \"all\"\n# end", version: nil)
        let outline = Outline(try Self.document(Declaration.samples, program: program).text)
        #expect(outline["info", "title"] == #""Shop: \"all\"\n# end""#)
        #expect(outline["info", "version"] == #""0.0.0""#)
    }

    private struct Order: ViewModel {
        var count = 0
        static let interface = Interface<Order>("order") {
            Output("count", \.count)
            Action("add-items") { $0.count += 1 }
            Facet("items", showing: "count")
        }
    }
    private struct OrderItems: ViewModel {
        var count = 0
        static let interface = Interface<OrderItems>("order-items") { Output("count", \.count) }
    }
    private struct Problem: ViewModel {
        var count = 0
        static let interface = Interface<Problem>("problem") {
            Output("count", \.count)
            Action("get-order") { $0.count += 1 }
        }
    }

    @Test("no two components, tags or operations are one to a generator, which may keep only letters and digits")
    func namesakes() throws {
        let document = try Self.document([.hosting(Order.self), .hosting(OrderItems.self), .hosting(Problem.self)])
        let outline = Outline(document.text)
        let ids = outline.texts.filter { $0.key.hasSuffix("› operationId") && $0.key.hasPrefix("paths") }
            .filter { !$0.key.contains("links") }.map(\.value)
        let tags = outline.texts.filter { $0.key.hasPrefix("tags") && $0.key.hasSuffix("name") }.map(\.value)
        for names in [ids, tags, outline.keys(below: "components", "schemas")] {
            let inCode = names.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
            #expect(Set(inCode).count == inCode.count, "\(names)")
        }
        #expect(ids.contains("getOrderItems2"))
        #expect(outline.keys(below: "components", "schemas").contains("problem2"))
    }
}
