import Foundation
import Testing

@testable import ViewModels

@Suite("The pointer of a refusal")
struct RefusalPointerTests {
    struct Line: Codable, Sendable {
        let sku: String
        var count = 1
    }

    struct Order: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case title = "t/~ä"
            case isGift, lines, address, notes, extras, amount, note
        }

        let title: String
        var isGift = false
        var lines: [Line] = []
        var address: Line?
        var notes: [String] = []
        var extras: [String: Int] = [:]
        var amount = 1.5
        var note: String?

        var trimmed: String { title.trimmingCharacters(in: .whitespaces) }
    }

    @Test("has the names by which members are encoded, in the form of every other pointer")
    func names() {
        let order = Order(title: "  ", lines: [Line(sku: "a")], address: Line(sku: "a"))
        #expect(pointer(\.title, in: order) == "#/t~1~0%C3%A4")
        #expect(pointer(\.isGift, in: order) == "#/isGift")
        #expect(pointer(\.amount, in: order) == "#/amount")
        #expect(pointer(\.trimmed, in: order) == "#")
        #expect(pointer(\.address.count, in: order) == "#/address/count")
        #expect(pointer(\.lines, in: order) == "#/lines")
        #expect(pointer(\.address, in: order) == "#/address")
    }

    @Test("leads to what is missing, where that is to blame")
    func missing() {
        let order = Order(title: "a")
        #expect(pointer(\.note, in: order) == "#/note")
        #expect(pointer(\.address, in: order) == "#/address")
        #expect(pointer(\.lines, in: order) == "#/lines")
        #expect(pointer(\.extras, in: order) == "#/extras")
    }

    @Test("leads into lists and dictionaries, however many elements are alike", arguments: [0, 1, 77, 499])
    func elements(place: Int) {
        let order = Order(
            title: "a", lines: Array(repeating: Line(sku: "a"), count: 500), notes: Array(repeating: "", count: 500),
            extras: ["a": 1, "b": 1])
        #expect(pointer(\.lines[place].sku, in: order) == "#/lines/\(place)/sku")
        #expect(pointer(\.notes[place], in: order) == "#/notes/\(place)")
        #expect(pointer(\.extras["b"], in: order) == "#/extras/b")
    }

    /// Takes few texts.
    struct Day: Codable, Sendable, SchemaDescribing {
        static let jsonSchema = JSONSchema.string
        static let jsonExample = "\"2026-01-31\""
        var text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
    struct Quantity: Codable, Sendable {
        var count: Int
        init(_ count: Int) { self.count = count }
        init(from decoder: any Decoder) throws {
            count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
            guard (1...99).contains(count) else { throw CancellationError() }
        }
    }
    struct Stay: Codable, Sendable {
        struct Row: Codable, Sendable { var sku: String, quantity: Quantity }
        var name: String
        var from: Day
        var until: Day
        var street: String
        var rows: [Row]
    }

    @Test("leads past what takes few values, and to it")
    func checked() {
        let row = Stay.Row(sku: "a", quantity: Quantity(50))
        let stay = Stay(
            name: "", from: Day("2026-01-31"), until: Day("2026-02-01"), street: "",
            rows: Array(repeating: row, count: 9))
        func pointer<Member>(_ member: (InputPlace<Stay>) -> InputPlace<Member>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: stay).pointer
        }
        #expect(pointer(\.name) == "#/name")
        #expect(pointer(\.from) == "#/from")
        #expect(pointer(\.until) == "#/until")
        #expect(pointer(\.street) == "#/street")
        #expect(pointer(\.rows[7].sku) == "#/rows/7/sku")
        #expect(pointer(\.rows[8].quantity.count) == "#/rows/8/quantity/count")
    }

    struct Payment: Codable, Sendable {
        enum Way: Codable, Sendable { case cash, card(number: String) }
        var way: Way
        var sum: Int
    }
    struct Tree: Codable, Sendable {
        var name: String
        var kids: [Tree] = []
    }

    @Test("leads into what holds itself, and to a case without anything")
    func shapes() {
        #expect(ActionRefusal.invalid("No.", at: \.way, of: Payment(way: .cash, sum: 1)).pointer == "#/way")
        let card = Payment(way: .card(number: "1"), sum: 1)
        #expect(ActionRefusal.invalid("No.", at: \.way["card"]["number"], of: card).pointer == "#/way/card/number")
        #expect(ActionRefusal.invalid("No.", at: \.way["cash"], of: card).pointer == "#/way")
        let tree = Tree(name: "a", kids: [Tree(name: "a"), Tree(name: "a", kids: [Tree(name: "a")])])
        #expect(ActionRefusal.invalid("No.", at: \.kids[1].kids[0].name, of: tree).pointer == "#/kids/1/kids/0/name")
    }

    @propertyWrapper struct Wrapped: Codable, Sendable { var wrappedValue: Int }
    final class Buyer: Codable, Sendable {
        let name: String
        init(_ name: String) { self.name = name }
    }
    struct Cart: Codable, Sendable {
        struct Item: Codable, Sendable {
            var sku: String
            var count: Int
            var each: Int { 100 / (count - count) }
        }
        var items: [Item]
        @Wrapped var limit = 1
        var buyer = Buyer("a")
        var worst: Int { preconditionFailure("is asked") }
    }

    @Test("asks for nothing that is computed, which might trap, and goes as far as the structure that it is of")
    func computed() {
        let cart = Cart(items: [.init(sku: "a", count: 5), .init(sku: "a", count: 9)])
        func pointer<Member>(_ member: (InputPlace<Cart>) -> InputPlace<Member>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: cart).pointer
        }
        #expect(pointer(\.worst) == "#")
        #expect(pointer(\.worst.description) == "#")
        #expect(pointer(\.limit) == "#")
        #expect(pointer(\.items[1].each) == "#/items/1")
        #expect(pointer(\.items.count) == "#/items")
        #expect(pointer(\.items.first) == "#/items")
        #expect(pointer(\.items[2].sku) == "#/items")
        #expect(pointer(\.items[-1].sku) == "#/items")
        #expect(pointer(\.buyer.name) == "#/buyer")
    }

    @Test("leads to a member by its name, if there is one")
    func named() {
        let cart = Cart(items: [.init(sku: "a", count: 5)])
        func pointer<Member>(_ member: (InputPlace<Cart>) -> InputPlace<Member>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: cart).pointer
        }
        #expect(pointer(\.["limit"]) == "#/limit")
        #expect(pointer(\.items[0]["sku"]) == "#/items/0/sku")
        #expect(pointer(\.buyer["name"]) == "#/buyer/name")
        #expect(pointer(\.items[0]["price"]) == "#/items/0")
        #expect(pointer(\.["items"][0]["sku"]) == "#/items/0/sku")
        #expect(pointer(\.["items"][1]["sku"]) == "#/items")
    }

    /// Has something in it that may be anything.
    struct Note: Codable, Sendable {
        struct Whatever: Codable, Sendable, SchemaDescribing {
            static let jsonSchema = JSONSchema.anything
            var lists: [String: [[String: Int]]] = ["a": [["b": 1]]]
            init() {}
            init(from decoder: any Decoder) throws { lists = (try? [String: [[String: Int]]](from: decoder)) ?? [:] }
            func encode(to encoder: any Encoder) throws { try lists.encode(to: encoder) }
        }
        var meta = Whatever()
    }

    struct Span: Codable, Sendable { var days = 1...2 }

    @Test("leads to one of two that stand together by its place")
    func pair() {
        #expect(ActionRefusal.invalid("No.", at: \.["days"][1], of: Span()).pointer == "#/days/1")
        #expect(ActionRefusal.invalid("No.", at: \.["days"][2], of: Span()).pointer == "#/days")
    }

    @Test("leads by names into what may be anything, as far as they are there")
    func anything() {
        #expect(ActionRefusal.invalid("No.", at: \.meta["a"][0]["b"], of: Note()).pointer == "#/meta/a/0/b")
        #expect(ActionRefusal.invalid("No.", at: \.meta["a"][1]["b"], of: Note()).pointer == "#/meta/a")
        #expect(ActionRefusal.invalid("No.", at: \.meta["b"], of: Note()).pointer == "#/meta")
    }

    /// May have nothing in it.
    struct Sparse: Codable, Sendable {
        var lines: [Line]?
        var address: Line?
        var prices: [String: Line]
        var more: [String: Line]?
        var byNumber: [Int: Int] = [:]
    }

    @Test("goes as far as there is something")
    func sparse() {
        let full = Sparse(
            lines: [Line(sku: "a")], address: Line(sku: "a"), prices: ["a": Line(sku: "a")],
            more: ["a": Line(sku: "a")],
            byNumber: [1: 1])
        #expect(pointer(\.lines[0].sku, in: full) == "#/lines/0/sku")
        #expect(pointer(\.address.sku, in: full) == "#/address/sku")
        #expect(pointer(\.prices["a"].count, in: full) == "#/prices/a/count")
        #expect(pointer(\.prices["b"].count, in: full) == "#/prices/b")
        #expect(pointer(\.prices["b"], in: full) == "#/prices/b")
        #expect(pointer({ $0.prices["b"] }, in: full) == "#/prices/b")
        #expect(pointer(\.more["a"].sku, in: full) == "#/more/a/sku")
        #expect(pointer(\.byNumber[1], in: full) == "#/byNumber")
        let empty = Sparse(prices: [:])
        #expect(pointer(\.lines[0].sku, in: empty) == "#/lines")
        #expect(pointer(\.address.sku, in: empty) == "#/address")
    }

    /// Writes no password.
    struct Login: Codable, Sendable {
        var user: String
        var password: String
        init(user: String, password: String) { (self.user, self.password) = (user, password) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(user, forKey: .user)
        }
    }

    @Test("leads to what is not written, too, and nowhere where nothing can be")
    func unfaithful() {
        #expect(
            ActionRefusal.invalid("No.", at: \.password, of: Login(user: "a", password: "a")).pointer == "#/password")
        #expect(ActionRefusal.invalid("No.", at: \.title, of: Order(title: "a", amount: .nan)).pointer == "#")
    }

    @Test("is the whole body where the key path leads nowhere")
    func whole() {
        #expect(pointer(\.self, in: Order(title: "a")) == "#")
        #expect(ActionRefusal.invalid("No.", at: \.self, of: 7).pointer == "#")
        #expect(ActionRefusal.invalid("No.").pointer == nil)
    }
}
