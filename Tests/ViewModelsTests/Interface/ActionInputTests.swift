import Testing

@testable import ViewModels

@Suite("The body of an action")
struct ActionInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        let code: ActionRefusal.Code
        init(_ body: String, _ code: ActionRefusal.Code) { (self.body, self.code) = (body, code) }
        var testDescription: String { body.isEmpty ? "no body" : body }
    }

    static let malformed = [
        "", " ", "{", "}", "nul", "{\"id\":}", "{'id':1}", "{\"id\":\"a\"} x", "[1,]", "\u{0}",
        #"{"id":"a","count":1,}"#,
        #"{"id":"a","count":01}"#,
    ]

    @Test("what is no JSON is malformed", arguments: malformed)
    func refusesMalformed(body: String) { #expect(refusal(of: body)?.code == .malformedInput) }

    @Test(
        "text that is not UTF-8 is malformed",
        arguments: [[0xFF], Array("{\"id\":\"".utf8) + [0xFF] + Array("\"}".utf8)])
    func notUTF8(body: [UInt8]) {
        let refusal = #expect(throws: ActionRefusal.self) { try ActionInput.decode(Fixture.Order.self, from: body) }
        #expect(refusal?.code == .malformedInput)
    }

    static let wrongShapes = [
        Case("null", .wrongShape(pointer: "#")),
        Case("[]", .wrongShape(pointer: "#")),
        Case("7", .wrongShape(pointer: "#")),
        Case("\"a\"", .wrongShape(pointer: "#")),
        Case("{}", .wrongShape(pointer: "#/id")),
        Case(#"{"id":"a"}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":7,"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":null,"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":["a"],"count":1}"#, .wrongShape(pointer: "#/id")),
        Case(#"{"id":"a","count":"1"}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":"a","count":true}"#, .wrongShape(pointer: "#/count")),
        Case(#"{"id":"a","count":1,"price":"x"}"#, .wrongShape(pointer: "#/price")),
        Case(#"{"id":"a","count":1,"tags":["a",2]}"#, .wrongShape(pointer: "#/tags/1")),
        Case(#"{"id":"a","count":1,"tags":[null]}"#, .wrongShape(pointer: "#/tags/0")),
        Case(#"{"id":"a","count":1,"lines":[{}]}"#, .wrongShape(pointer: "#/lines/0/sku")),
        Case(#"{"id":"a","count":1,"extras":{"a/b~c d":"x"}}"#, .wrongShape(pointer: "#/extras/a~1b~0c%20d")),
        Case(#"{"id":"a","count":1,"size":"medium"}"#, .wrongShape(pointer: "#/size")),
    ]

    @Test("JSON of another shape is refused with a pointer to the member", arguments: wrongShapes)
    func wrongShape(wrong: Case) { #expect(refusal(of: wrong.body)?.code == wrong.code) }

    @Test(
        "a number that does not fit its type is of the wrong shape, wherever it stands",
        arguments: ["1.5", "1e400", "99999999999999999999"])
    func unfitNumber(number: String) {
        let code = refusal(of: #"{"id":"a","count":\#(number)}"#)?.code
        #expect(code == .wrongShape(pointer: "#/count"))
    }

    @Test(
        "JSON of the right shape is taken",
        arguments: [
            #"{"id":"a","count":1}"#, #" {"count":1,"id":"a"} "#, #"{"id":"","count":-1,"unknown":[{}]}"#,
            #"{"id":"a","count":1.0}"#, #"{"id":"a","count":1,"price":null,"tags":[],"extras":{},"size":"large"}"#,
        ])
    func taken(body: String) { #expect(refusal(of: body) == nil) }

    @Test(
        "the words of a refusal hold nothing that was sent",
        arguments: [
            #"{"id":"a","count":"hunter2"}"#, #"{"id":{"hunter2":1},"count":1}"#, #"{"id":"a","count":hunter2}"#,
            #"{"id":"a","count":1,"extras":{"hunter2":"x"}}"#, #"{"id":"a","count":1,"size":"hunter2"}"#, "hunter2",
            #""hunter2""#, #"{"hunter2":1}"#,
        ])
    func refusalText(body: String) throws {
        #expect(try #require(refusal(of: body)).detail.contains("hunter2") == false)
        let unwanted = #expect(throws: ActionRefusal.self) { try ActionInput.requireNone(Array(body.utf8)) }
        #expect(unwanted?.detail.contains("hunter2") == false)
    }

    @Test("an action without a body takes none, null and an empty object", arguments: ["", "{}", " { } ", "null"])
    func nothing(body: String) async throws { try await Bench(Fixture.declaration).perform("poke", body) }

    static let unwanted = [
        Case("[]", .wrongShape(pointer: "#")), Case("0", .wrongShape(pointer: "#")),
        Case("\"\"", .wrongShape(pointer: "#")), Case("false", .wrongShape(pointer: "#")),
        Case(#"{"b":1,"a":null}"#, .wrongShape(pointer: "#/a")), Case("{", .malformedInput), Case("x", .malformedInput),
    ]

    @Test("an action without a body refuses anything else and does not run", arguments: unwanted)
    func refusesUnwanted(sent: Case) async throws {
        let bench = try Bench(Fixture.declaration)
        let refusal = await #expect(throws: ActionRefusal.self) { try await bench.perform("poke", sent.body) }
        #expect(refusal?.code == sent.code)
        #expect(String(decoding: try bench.hosted.encodedModel(), as: UTF8.self) == #"{"number":0}"#)
    }

    private func refusal(of body: String) -> ActionRefusal? {
        do {
            _ = try ActionInput.decode(Fixture.Order.self, from: Array(body.utf8))
            return nil
        } catch {
            return error as? ActionRefusal
        }
    }
}
