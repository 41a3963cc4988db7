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

    private func pointer(_ member: KeyPath<Order, some Encodable>, in order: Order) -> String? {
        ActionRefusal.invalid("No.", at: member, of: order).pointer
    }

    @Test("has the names by which members are encoded, in the form of every other pointer")
    func names() {
        let order = Order(title: "  ", lines: [Line(sku: "a")], address: Line(sku: "a"))
        #expect(pointer(\.title, in: order) == "#/t~1~0%C3%A4")
        #expect(pointer(\.isGift, in: order) == "#/isGift")
        #expect(pointer(\.amount, in: order) == "#/amount")
        #expect(pointer(\.trimmed, in: order) == "#/t~1~0%C3%A4")
        #expect(pointer(\.address?.count, in: order) == "#/address/count")
        #expect(pointer(\.address!.sku, in: order) == "#/address/sku")
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

    @Test("leads past what takes few values, and to it where it is the only one like that")
    func checked() {
        let row = Stay.Row(sku: "a", quantity: Quantity(50))
        let stay = Stay(
            name: "", from: Day("2026-01-31"), until: Day("2026-02-01"), street: "",
            rows: Array(repeating: row, count: 9))
        func pointer(_ member: KeyPath<Stay, some Encodable>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: stay).pointer
        }
        #expect(pointer(\.name) == "#/name")
        #expect(pointer(\.from) == "#/from")
        #expect(pointer(\.until) == "#/until")
        #expect(pointer(\.street) == "#/street")
        #expect(pointer(\.rows[7].sku) == "#/rows/7/sku")
        #expect(pointer(\.rows[8].quantity.count) == "#/rows/8/quantity/count")
    }

    struct Cart: Codable, Sendable {
        struct Item: Codable, Sendable { var sku: String, count: Int }
        var items: [Item]
        var total: Int { items.reduce(0) { $0 + $1.count * 100 } }
        init(items: [Item]) { self.items = items }
        init(from decoder: any Decoder) throws {
            items = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .items).filter {
                $0.count > 0
            }
        }
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

    @Test("is found without what a sum or the place of an element would not bear, and in what holds itself")
    func gently() {
        let cart = Cart(items: [.init(sku: "a", count: 5), .init(sku: "a", count: 9)])
        #expect(ActionRefusal.invalid("No.", at: \.items[1].sku, of: cart).pointer == "#/items/1/sku")
        #expect(ActionRefusal.invalid("No.", at: \.total, of: cart).pointer == "#/items/0/count")
        #expect(ActionRefusal.invalid("No.", at: \.way, of: Payment(way: .cash, sum: 1)).pointer == "#/way")
        let tree = Tree(name: "a", kids: [Tree(name: "a"), Tree(name: "a", kids: [Tree(name: "a")])])
        #expect(ActionRefusal.invalid("No.", at: \.kids[1].kids[0].name, of: tree).pointer == "#/kids/1/kids/0/name")
    }

    /// What could be made of few other values.
    struct Share: Codable, Sendable {
        var price: Double
        var people: Int?
        var site: URL
        var ids: [UUID]
        var marks: [Int]?
        var each: Int { Int(100 / price) }
        var part: Int? { people.map { 1000 / $0 } }
        var host: String { site.host() ?? "" }
        var places: [UUID: Int] { Dictionary(uniqueKeysWithValues: zip(ids, ids.indices)) }
        var mean: Int? { marks.map { $0.reduce(0, +) / $0.count } }
    }

    @Test("is found by numbers, addresses and ids that are near to those that came")
    func near() throws {
        let share = Share(
            price: 12.5, people: nil, site: try #require(URL(string: "https://example.org")), ids: [UUID(), UUID()],
            marks: nil)
        func pointer(_ member: KeyPath<Share, some Encodable>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: share).pointer
        }
        #expect(pointer(\.price) == "#/price")
        #expect(pointer(\.part) == "#/people")
        #expect(pointer(\.site) == "#/site")
        #expect(pointer(\.host) == "#/site")
        #expect(pointer(\.mean) == "#/marks")
        #expect(pointer(\.each) != nil && pointer(\.places) != nil)
    }

    /// Has each number once.
    struct Lot: Codable, Sendable {
        var numbers: [Int]
        init(numbers: [Int]) { self.numbers = numbers }
        init(from decoder: any Decoder) throws {
            let all = try decoder.container(keyedBy: CodingKeys.self).decode([Int].self, forKey: .numbers)
            numbers = all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }

    @Test("is not looked for where a list would be shorter")
    func shortened() {
        let lot = Lot(numbers: [1, 2])
        #expect(ActionRefusal.invalid("No.", at: \.numbers[1], of: lot).pointer == "#/numbers/1")
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

    @Test("is the whole body where that is not read as it is written")
    func unfaithful() {
        #expect(ActionRefusal.invalid("No.", at: \.password, of: Login(user: "a", password: "a")).pointer == "#")
    }

    @Test("is the whole body where the key path leads nowhere")
    func whole() {
        #expect(pointer(\.self, in: Order(title: "a")) == "#")
        #expect(ActionRefusal.invalid("No.", at: \.self, of: 7).pointer == "#")
        #expect(ActionRefusal.invalid("No.").pointer == nil)
    }
}
