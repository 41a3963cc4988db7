import Foundation
import Testing
import ViewModels

@testable import Samples

extension Refusal.Kind {
    static let soldOut = custom(type: "sold-out", status: 409, title: "Sold out")
    static let wrongHall = custom(type: "wrong-hall", status: 410, title: "Wrong hall")
}

struct Tickets: ViewModel {
    struct Line: Codable, Sendable { var quantity: Int }
    struct Order: Codable, Sendable {
        var lines: [Line]
        var orientation: Orientation?
    }
    var left = 3

    mutating func buy(_ order: Order) throws {
        for (place, line) in order.lines.enumerated() {
            left -= line.quantity
            guard line.quantity > 0 else {
                throw Refusal.invalid("The quantity must be positive.", at: "lines", place, "quantity")
            }
        }
        guard left >= 0 else { throw Refusal(.soldOut, "Too few tickets are left.") }
    }

    static let interface = Interface<Tickets>("tickets") {
        Output("left", \.left)
        Action("buy", example: Order(lines: [Line(quantity: 1)])) { try $0.buy($1) }
            .refusing(.soldOut, "Too few tickets are left.")
            .refusing(.invalid, "A quantity is not positive.")
        Action("enter") { _ in throw Refusal(.wrongHall, "") }
    }
}

/// Protects what callers are told of a refused action or body.
@Suite("Refusals and bodies")
struct RefusalTests {
    let session: Session

    init() throws { session = try Session(.hosting(Tickets.self)) }

    @Test("a refusal names a member by its JSON path, and nothing has changed")
    func pointer() throws {
        let refusal = #expect(throws: Refusal.self) {
            try session.run("tickets/buy", #"{"lines":[{"quantity":1},{"quantity":0}]}"#)
        }
        #expect(refusal?.pointer == "#/lines/1/quantity")
        #expect(refusal?.kind == .invalid)
        #expect(refusal?.kind.status == 422)
        #expect(try session.body("tickets") == #"{"left":3}"#)
    }

    @Test("a pointer escapes what JSON Pointer and URI fragments reserve")
    func escapes() {
        #expect(Refusal.invalid("", at: "a/b~c", "d e%").pointer == "#/a~1b~0c/d%20e%25")
        #expect(Refusal.invalid("").pointer == nil)
    }

    @Test("a kind of its own passes")
    func kinds() throws {
        let refusal = #expect(throws: Refusal.self) { try session.run("tickets/buy", #"{"lines":[{"quantity":9}]}"#) }
        #expect(refusal == Refusal(.soldOut, "Too few tickets are left."))
        #expect([refusal?.kind.status, Refusal.disabled("x").kind.status] == [409, 409])
    }

    @Test(
        "a syntax error anywhere comes before a wrong shape",
        arguments: [
            #"{"lines":7,"x":}"#, #"{"lines":[{"quantity":"x"}]"#, #"{"lines":[],"t":"\ud800"}"#, "", " ",
            #"{"lines":[],"lines":7}"#, #"{"lines":[]} x"#,
        ])
    func syntax(body: String) {
        let fault = #expect(throws: InputFault.self) { try session.run("tickets/buy", body) }
        var said: String?
        if case .malformed(let detail)? = fault { said = detail }
        #expect(said.map { body.isEmpty || $0.contains("at byte") } == true)
    }

    @Test(
        "a wrong shape has a pointer, and does not repeat what was sent",
        arguments: [
            (#"{"lines":[{"quantity":"secret"}]}"#, "#/lines/0/quantity"), (#"{"lines":"secret"}"#, "#/lines"),
            (#"{"lines":[],"a/b":"secret"}"#, "#/a~1b"), (#"["secret"]"#, "#"), ("null", "#"),
            (#"{"lines":[],"orientation":"secret"}"#, "#/orientation"),
            (#"{"lines":[{"quantity":1e99}]}"#, "#/lines/0/quantity"),
        ])
    func shape(body: String, pointer: String) {
        let fault = #expect(throws: InputFault.self) { try session.run("tickets/buy", body) }
        var (place, said) = ("", "secret")
        if case .wrongShape(let pointer, let detail)? = fault { (place, said) = (pointer, detail) }
        #expect(place == pointer)
        #expect(!said.contains("secret"))
    }

    @Test("an action without a body takes no body, null or {}, and nothing more", arguments: ["7", "[]", #"{"a":1}"#])
    func noBody(body: String) throws {
        #expect(throws: InputFault.self) { try session.run("tickets/enter", body) }
        let counter = try Session(.hosting(Counter.self))
        for body in ["", "null", " {} "] { try counter.run("counter/increment", body) }
        #expect(try counter.body("counter").hasPrefix(#"{"text":"3""#))
    }
}
