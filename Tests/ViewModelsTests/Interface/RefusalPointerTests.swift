import Foundation
import Locking
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

    private func pointer<Member>(
        _ member: (InputPlace<Order>) -> InputPlace<Member>, in order: Order
    ) -> String? {
        ActionRefusal.invalid("No.", at: member, of: order).pointer
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

    @Test("leads past what takes few values, and to it where it is the only one like that")
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
        func pointer<Member>(
            _ member: (InputPlace<Sparse>) -> InputPlace<Member>, in sparse: Sparse
        ) -> String? {
            ActionRefusal.invalid("No.", at: member, of: sparse).pointer
        }
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

    /// Is read from all of a value.
    struct Whole<Inner: Codable & Sendable>: Codable, Sendable {
        var all: Inner
        init(_ all: Inner) { self.all = all }
        init(from decoder: any Decoder) throws { all = try decoder.singleValueContainer().decode(Inner.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(all)
        }
    }

    @Test("names nothing for what is all that is there")
    func all() {
        func pointer<Inner, Member>(
            _ all: Inner, _ member: (InputPlace<[Whole<Inner>]>) -> InputPlace<Member>
        ) -> String? {
            ActionRefusal.invalid("No.", at: member, of: [Whole(all)]).pointer
        }
        #expect(pointer([Line(sku: "a")], \.[0].all) == "#/0")
        #expect(pointer([Line(sku: "a")], \.[0].all[0].sku) == "#/0/0/sku")
        #expect(pointer(["a": "b"], \.[0].all) == "#/0")
        #expect(pointer(["a": "b"], \.[0].all["a"]) == "#/0/a")
        #expect(pointer(7, \.[0].all) == "#/0")
    }

    /// Reads two of what it has by two members each, and takes few values for the others.
    struct Timer: Codable, Sendable {
        struct Zip: Codable, Sendable {
            var text: String
            init(_ text: String) { self.text = text }
            init(from decoder: any Decoder) throws {
                text = try decoder.singleValueContainer().decode(String.self)
                guard ["#000000", "zip"].contains(text) else { throw CancellationError() }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        enum Volume: Int, Codable { case full = 60 }
        var end: Int
        var length: Int
        var seconds: Int
        var zip: Zip
        var ships: Zip
        var isHidden: Bool
        var isTold: Bool
        enum CodingKeys: CodingKey { case start, length, minutes, volume, from, until, isVisible, ships, isTold }
        init(start: Int, length: Int, minutes: Int, zip: String, isHidden: Bool) {
            (end, self.length, seconds) = (start + length, length, minutes * 60)
            (self.zip, ships, self.isHidden, isTold) = (Zip(zip), Zip("zip"), isHidden, true)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            length = try container.decode(Int.self, forKey: .length)
            end = try container.decode(Int.self, forKey: .start) &+ length
            seconds = try container.decode(Int.self, forKey: .minutes) &* 60
            zip = Zip(try container.decode([Zip].self, forKey: .from).map(\.text).joined())
            ships = try container.decode(Zip.self, forKey: .ships)
            isHidden = try !container.decode(Bool.self, forKey: .isVisible)
            isTold = try container.decode(Bool.self, forKey: .isTold)
            _ = try container.decode(Volume.self, forKey: .volume)
            guard isTold else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(end - length, forKey: .start)
            try container.encode(length, forKey: .length)
            try container.encode(seconds / 60, forKey: .minutes)
            try container.encode(Volume.full, forKey: .volume)
            try container.encode([zip], forKey: .from)
            try container.encode(ships, forKey: .ships)
            try container.encode(!isHidden, forKey: .isVisible)
            try container.encode(isTold, forKey: .isTold)
        }
    }

    @Test("is the whole where several are read for one, or what happens to be the same takes nothing else")
    func unproven() throws {
        let timer = Timer(start: 0, length: 60, minutes: 1, zip: "zip", isHidden: true)
        func pointer<Member>(_ member: (InputPlace<Timer>) -> InputPlace<Member>) -> String? {
            ActionRefusal.invalid("No.", at: member, of: timer).pointer
        }
        _ = try JSONSchema(of: Timer.self)
        #expect(pointer(\.end) == "#")
        #expect(pointer(\.length) == "#/length")
        #expect(pointer(\.seconds) == "#")
        #expect(pointer(\.zip) == "#")
        #expect(pointer(\.ships) == "#/ships")
        #expect(pointer(\.isHidden) == "#")
        #expect(pointer(\.isTold) == "#/isTold")
    }

    @Test("tells apart by its name what takes few values and is the same as another")
    func same() {
        let stay = Stay(name: "", from: Day("2026-01-31"), until: Day("2026-01-31"), street: "", rows: [])
        #expect(ActionRefusal.invalid("No.", at: \.until, of: stay).pointer == "#/until")
        #expect(ActionRefusal.invalid("No.", at: \.from, of: stay).pointer == "#/from")
    }

    /// Written among the members of another.
    struct Person: Codable, Sendable { var name: String, age: Int }
    struct Guest: Codable, Sendable {
        var person: Person
        var seats = 1
        enum CodingKeys: String, CodingKey { case seats }
        init(person: Person) { self.person = person }
        init(from decoder: any Decoder) throws {
            person = try Person(from: decoder)
            seats = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .seats)
        }
        func encode(to encoder: any Encoder) throws {
            try person.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(seats, forKey: .seats)
        }
    }

    @Test("finds a member among those of the structure around it")
    func flattened() {
        let guest = Guest(person: Person(name: "a", age: 1))
        #expect(ActionRefusal.invalid("No.", at: \.person.age, of: guest).pointer == "#/age")
        #expect(ActionRefusal.invalid("No.", at: \.person, of: guest).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.seats, of: guest).pointer == "#/seats")
    }

    /// In cents, and written in another unit beside a number that may be the same.
    struct Price: Codable, Sendable {
        var cents: Int
        var count: Int
        enum CodingKeys: CodingKey { case amount, count }
        init(cents: Int, count: Int) { (self.cents, self.count) = (cents, count) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            cents = Int(try container.decode(Double.self, forKey: .amount) * 100)
            count = try container.decode(Int.self, forKey: .count)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Double(cents) / 100, forKey: .amount)
            try container.encode(count, forKey: .count)
        }
    }

    /// Written from the last on, and a person by names of the ticket's own.
    struct Ticket: Codable, Sendable {
        var stops: [Line]
        var person: Person
        var name: String
        var age = 2
        enum CodingKeys: CodingKey { case stops, who, years, name, age }
        init(stops: [Line], person: Person, name: String) {
            (self.stops, self.person, self.name) = (stops, person, name)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            stops = try container.decode([Line].self, forKey: .stops).reversed()
            let who = try container.decode(String.self, forKey: .who)
            person = Person(name: who, age: try container.decode(Int.self, forKey: .years))
            name = try container.decode(String.self, forKey: .name)
            age = try container.decode(Int.self, forKey: .age)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(age, forKey: .age)
            try container.encode(stops.reversed(), forKey: .stops)
            try container.encode(person.name, forKey: .who)
            try container.encode(person.age, forKey: .years)
            try container.encode(name, forKey: .name)
        }
    }

    @Test("is what the member is read by, and not what happens to be the same")
    func alike() {
        let price = Price(cents: 500, count: 500)
        #expect(ActionRefusal.invalid("No.", at: \.cents, of: price).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.count, of: price).pointer == "#/count")
        let ticket = Ticket(
            stops: [Line(sku: "a"), Line(sku: "b")], person: Person(name: "a", age: 1), name: "a")
        #expect(ActionRefusal.invalid("No.", at: \.stops, of: ticket).pointer == "#/stops")
        #expect(ActionRefusal.invalid("No.", at: \.stops[0], of: ticket).pointer == "#/stops")
        #expect(ActionRefusal.invalid("No.", at: \.person.name, of: ticket).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.name, of: ticket).pointer == "#/name")
    }

    struct Ledger: Codable, Sendable {
        var id: Int128
        var rate: Double
        var name: String
    }

    @Test("is found beside the largest and the smallest numbers that there are", arguments: [Int128.min, 0, .max])
    func largest(id: Int128) {
        for rate in [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            let ledger = Ledger(id: id, rate: rate, name: "")
            #expect(ActionRefusal.invalid("No.", at: \.id, of: ledger).pointer == "#/id")
            #expect(ActionRefusal.invalid("No.", at: \.rate, of: ledger).pointer == "#/rate")
        }
    }

    enum Only: String, Codable { case line }
    enum One: Int, Codable { case one = 1 }
    struct Purchase: Codable, Sendable {
        var version = One.one
        var quantity: Int
        var sku = "a"
    }
    struct Entry: Codable, Sendable {
        var kind = Only.line
        var accepted = Only.line
        var type = One.one
        var name: String
    }

    @Test("is the member's own where one that takes no room is stored before it, and says the same")
    func nothing() {
        #expect(ActionRefusal.invalid("No.", at: \.quantity, of: Purchase(quantity: 1)).pointer == "#/quantity")
        let entry = Entry(name: "line")
        #expect(ActionRefusal.invalid("No.", at: \.name, of: entry).pointer == "#/name")
        #expect(ActionRefusal.invalid("No.", at: \.type, of: entry).pointer == "#/type")
        #expect(ActionRefusal.invalid("No.", at: \.accepted, of: entry).pointer == "#")
    }

    /// Has what is made of a member that the values tried make no difference to, and another that takes one value alone.
    struct Adult: Codable, Sendable {
        var isAdult: Bool
        var born: Int
        var terms: Bool
        enum CodingKeys: CodingKey { case born, terms }
        init(born: Int) { (isAdult, self.born, terms) = (born < 2008, born, true) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            born = try container.decode(Int.self, forKey: .born)
            isAdult = born < 2008
            terms = try container.decode(Bool.self, forKey: .terms)
            guard terms else { throw CancellationError() }
        }
    }

    /// Has two persons, of which one is written among its own members.
    struct Invoice: Codable, Sendable {
        var payer: Person
        var guest: Person
        enum CodingKeys: CodingKey { case payerName, payerAge }
        init(payer: Person, guest: Person) { (self.payer, self.guest) = (payer, guest) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            payer = Person(
                name: try container.decode(String.self, forKey: .payerName),
                age: try container.decode(Int.self, forKey: .payerAge))
            guest = try Person(from: decoder)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(payer.name, forKey: .payerName)
            try container.encode(payer.age, forKey: .payerAge)
            try guest.encode(to: encoder)
        }
    }

    @Test("is proven by what the member is read by, not by what it is not")
    func proven() {
        #expect(ActionRefusal.invalid("No.", at: \.isAdult, of: Adult(born: 1980)).pointer == "#")
        let (person, other) = (Person(name: "a", age: 1), Person(name: "b", age: 2))
        #expect(
            ActionRefusal.invalid("No.", at: \.guest.name, of: Invoice(payer: person, guest: person)).pointer
                == "#/name")
        #expect(
            ActionRefusal.invalid("No.", at: \.payer.name, of: Invoice(payer: person, guest: person)).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.payer.name, of: Invoice(payer: person, guest: other)).pointer == "#")
    }

    /// Counts how often it is read.
    struct Item: Codable, Sendable {
        final class Readings: Sendable { let count = Lock(0) }
        @TaskLocal static var readings = Readings()
        var id: Int
        init(id: Int) { self.id = id }
        init(from decoder: any Decoder) throws {
            Self.readings.count.withLock { $0 += 1 }
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
    }
    struct Lot: Codable, Sendable {
        var items: [Item]
        init(items: [Item]) { self.items = items }
        init(from decoder: any Decoder) throws {
            items = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .items)
            guard Set(items.map(\.id)).count == items.count else { throw CancellationError() }
        }
    }

    @Test("reads what is deep a few times for each step")
    func deep() {
        let tree = (0..<30).reduce(Tree(name: "a")) { tree, _ in Tree(name: "a", kids: [tree]) }
        let pointer = ActionRefusal.invalid(
            "No.", at: { (0..<30).reduce($0) { place, _ in place.kids[0] }.name }, of: tree
        ).pointer
        #expect(pointer == "#" + String(repeating: "/kids/0", count: 30) + "/name")
    }

    @Test("reads a long list a few times only, also where its elements must differ")
    func long() throws {
        let lot = Lot(items: (0..<2000).map(Item.init))
        _ = try JSONSchema(of: Lot.self)
        let readings = Item.Readings()
        let pointer = Item.$readings.withValue(readings) {
            ActionRefusal.invalid("No.", at: \.items[1999].id, of: lot).pointer
        }
        #expect(pointer == "#/items/1999/id")
        #expect(readings.count.withLock { $0 } < 5 * 2000)
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

    @Test("goes no further where that takes too long, but to a member that has the property's own name and value")
    func late() {
        func way<Member>(_ member: (InputPlace<Order>) -> InputPlace<Member>, until: ContinuousClock.Instant)
            -> [String]
        {
            InputPlace.way(of: member(InputPlace(of: Order(title: "a"), until: until)))
        }
        let now = ContinuousClock.now
        #expect(way(\.title, until: now + .seconds(600)) == ["t/~ä"])
        #expect(way(\.title, until: now) == [])
        #expect(way(\.amount, until: now) == ["amount"])
    }

    @Test("is the whole body where the key path leads nowhere")
    func whole() {
        #expect(pointer(\.self, in: Order(title: "a")) == "#")
        #expect(ActionRefusal.invalid("No.", at: \.self, of: 7).pointer == "#")
        #expect(ActionRefusal.invalid("No.").pointer == nil)
    }
}
