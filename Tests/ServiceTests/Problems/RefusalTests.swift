import Binding
import TestSupport
import Testing
import ViewModels

@testable import Service

extension ActionRefusal.Kind {
    fileprivate static let soldOut = custom(type: "sold-out", status: 410, title: "Sold out")
}

/// Refuses in every way.
private final class Shop: ViewModel {
    struct Model: StoredModel { var sold = 0 }

    struct Order: Codable, Sendable {
        var name: String
        var count: Int
    }

    enum Trouble: Error {
        case broken
        case away(String)
    }

    static let interface = Interface<Shop>("shop") {
        Output("sold", \.sold)
        Action("order", "Orders.", example: { Order(name: "no. \($0.sold)", count: 1) }, Shop.order)
            .refusing(.invalid, "The count is not positive.")
            .refusing(.notFound, "There is nothing of that name.")
            .refusing(.forbidden, "It is not for sale.")
            .refusing(.conflict, "It is reserved.")
            .refusing(.disabled, "The shop is closed.")
            .refusing(.soldOut, "All are sold.")
        Action("fail", example: "broken", Shop.fail)
    }

    func order(_ order: Order) throws {
        // A refusal discards it.
        model.sold += 1
        switch order.name {
        case "nothing": throw ActionRefusal.notFound("There is no nothing.")
        case "crown": throw ActionRefusal.forbidden("Not for sale.")
        case "throne": throw ActionRefusal.conflict("Reserved.")
        case "shop": throw ActionRefusal.disabled("Closed.")
        case "last": throw ActionRefusal(.soldOut, "The last is sold.")
        case "tea": throw ActionRefusal.custom(type: "teapot", status: 418, title: "A teapot", "Short and stout.")
        default:
            guard order.count > 0 else { throw ActionRefusal.invalid("Order one at least.", at: \.count, of: order) }
        }
    }

    func fail(_ how: String) throws {
        throw how == "broken" ? Trouble.broken : .away(how)
    }

    var sold: Int { model.sold }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

@Suite("A refusal of an action's own")
struct OwnRefusalTests {
    private static let catalogue = Catalogue([.hosting(Shop.init(model:))])

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let slug: String
        let status: Int
        let detail: String
        var testDescription: String { slug }
    }

    static let cases = [
        Case(name: "nothing", slug: "action-not-found", status: 404, detail: "There is no nothing."),
        Case(name: "crown", slug: "action-forbidden", status: 403, detail: "Not for sale."),
        Case(name: "throne", slug: "action-conflict", status: 409, detail: "Reserved."),
        Case(name: "shop", slug: "action-disabled", status: 409, detail: "Closed."),
        Case(name: "last", slug: "sold-out", status: 410, detail: "The last is sold."),
        Case(name: "", slug: "action-invalid", status: 422, detail: "Order one at least."),
    ]

    @Test("is a problem of its status and type, with the state, changes nothing, and is replayed", arguments: cases)
    func told(sent: Case) async throws {
        try await withService(of: Self.catalogue) { service in
            let body = #"{"name":"\#(sent.name)","count":0}"#
            let answer = try await service.post("/shop/order", json: body, "Idempotency-Key: a")
            #expect(answer.status == sent.status)
            #expect(answer["Content-Type"] == "application/problem+json")
            let tag = try await service.get("/shop")["ETag"]
            #expect(tag != nil && answer["ETag"] == tag)
            let json = try answer.json()
            #expect(json["type"] == .string("/problems/" + sent.slug))
            #expect(json["detail"] == .string(sent.detail))
            #expect(json["state"]?["sold"] == .number(0))
            #expect(json["pointer"] == (sent.slug == "action-invalid" ? "#/count" : nil))
            #expect(try await service.get("/shop").text == #"{"sold":0}"#)
            let again = try await service.post("/shop/order", json: body, "Idempotency-Key: a")
            #expect(again["Idempotency-Replayed"] == "true")
            #expect(again.status == sent.status)
            #expect(again.body == answer.body)
            #expect(again["ETag"] == answer["ETag"])
        }
    }

    @Test("of a status that none may have is 500, and the log says why", arguments: [[], ["Idempotency-Key: a"]])
    func unsound(key: [String]) async throws {
        try await withService(of: Self.catalogue) { service in
            let answer = try await service.ask(
                "POST", "/shop/order", ["Content-Type: application/json"] + key,
                body: #"{"name":"tea","count":1}"#)
            try expect(answer, isProblem: "internal-error", 500)
            #expect(!answer.text.contains("teapot"))
            let line = try JSONValue(Array(#require(await service.log.lines(of: answer).first).utf8))
            #expect(line["cause"]?.string?.hasPrefix("the refusal \"teapot\" has the status 418") == true)
        }
    }

    @Test(
        "is not what any other error is: that is 500, and the log alone has its name, without what it holds",
        arguments: [("broken", "Trouble.broken"), ("hunter2", "Trouble.away")])
    func foreign(how: String, cause: String) async throws {
        try await withService(of: Self.catalogue) { service in
            let answer = try await service.post("/shop/fail", json: "\"\(how)\"")
            try expect(answer, isProblem: "internal-error", 500)
            #expect(!answer.text.contains("Trouble"))
            let line = try #require(await service.log.lines(of: answer).first)
            #expect(try JSONValue(Array(line.utf8))["cause"]?.string?.hasSuffix(cause) == true, "\(line)")
            #expect(!line.contains("hunter2"))
        }
    }

    @Test("is described where it is declared, with status, type, words and an example")
    func described() {
        let text = String(decoding: OpenAPIDocument(catalogue: Self.catalogue).bytes, as: UTF8.self)
        for line in [
            "description: \"`/problems/action-not-found`: There is nothing of that name.\"",
            "description: \"`/problems/action-conflict`: It is reserved. `/problems/action-disabled`: The shop is closed.\"",
            "description: \"`/problems/sold-out`: All are sold.\"",
            "description: \"`/problems/action-invalid`: The count is not positive. The body has the wrong shape; ",
            #"example: {"type":"/problems/sold-out","title":"Sold out","status":410,"detail":"All are sold.","#,
            #"example: {"count":1,"name":"no. 0"}"#,
        ] { #expect(text.contains(line), "\(line)") }
        let fail = text.split(separator: "  /shop/fail:")[1]
        #expect(!fail.prefix { $0 != "ö" }.contains("\"404\":"))
    }

    @Test("can have no type that is known here as the server's own, and these are all of them")
    func taken() { #expect(ActionRefusal.Kind.takenTypes == Set(ProblemType.all.map(\.slug))) }

    /// Declares what the server itself means by that name.
    private final class Impostor: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Impostor>("impostor") {
            Output("count", \.count)
            Action("act", Impostor.act).refusing(.custom(type: "not-found", status: 410, title: "Gone"), "Always.")
        }
        func act() {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("cannot have the type of one of the server's problems")
    func reserved() {
        var options = BinderyServer.Options()
        options.port = 0
        let server = BinderyServer(viewModels: [.hosting(Impostor.init(model:))], options: options)
        let fault = #expect(throws: DeclarationFault.self) { try server.start() }
        #expect(
            fault?.description
                == "impostor: declares the refusal \"not-found\" of act, which has the type of a problem of the server's own; "
                + "give it another"
        )
    }
}
