import Locking
import Testing

@testable import ViewModels

@Suite("The search for the pointer of a refusal")
struct RefusalSearchTests {
    typealias Tree = RefusalPointerTests.Tree
    typealias Order = RefusalPointerTests.Order

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

    @Test("leads as far as there is something, however deep")
    func deep() {
        let tree = (0..<30).reduce(Tree(name: "a")) { tree, _ in Tree(name: "a", kids: [tree]) }
        let pointer = ActionRefusal.invalid(
            "No.", at: { (0..<30).reduce($0) { place, _ in place.kids[0] }.name }, of: tree
        ).pointer
        #expect(pointer == "#" + String(repeating: "/kids/0", count: 30) + "/name")
    }

    /// Types that hold each other, as those of a document's text do.
    enum Parts {
        struct Page: Codable, Sendable {
            enum CodingKeys: String, CodingKey { case rows, title = "headline" }
            var rows: [Row] = []
            var title = "a"
        }
        struct Row: Codable, Sendable { var cells: [Cell] }
        struct Cell: Codable, Sendable { var texts: [Text] }
        struct Text: Codable, Sendable { var marks: [Mark] }
        struct Mark: Codable, Sendable { var notes: [Note] }
        struct Note: Codable, Sendable {
            var rows: [Row]
            var cells: [Cell]
            var texts: [Text]
            var marks: [Mark]
            var notes: [Note]
        }
    }

    @Test("leads past types that hold each other, not through all that they might hold", .timeLimit(.minutes(15)))
    func mutual() {
        let place = InputPlace(of: Parts.Page(), until: .now + .seconds(600))
        #expect(InputPlace.way(of: place.title) == ["headline"])
    }

    @Test("reads a long list a few times only, also where its elements must differ")
    func long() throws {
        let lot = Lot(items: (0..<2000).map(Item.init))
        _ = try JSONSchema(of: Lot.self)
        let place = InputPlace(of: lot, until: .now + .seconds(600))
        let readings = Item.Readings()
        Item.$readings.withValue(readings) {
            #expect(InputPlace.way(of: place.items[1999].id) == ["items", "1999", "id"])
        }
        #expect(readings.count.withLock { $0 } < 5 * 2000)
    }

    struct Shipment: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case items = "all_items", byName = "by_name", from = "sent_from", to }
        var items: [Item]
        var byName: [String: Item] = [:]
        var from = "a"
        var to = "a"
    }

    @Test("reads the first elements of lists alone, as members have other names than properties")
    func short() throws {
        let items = (0..<2000).map(Item.init)
        let shipment = Shipment(items: items, byName: .init(uniqueKeysWithValues: items.map { ("\($0.id)", $0) }))
        _ = try JSONSchema(of: Shipment.self)
        let place = InputPlace(of: shipment, until: .now + .seconds(600))
        let readings = Item.Readings()
        Item.$readings.withValue(readings) {
            #expect(InputPlace.way(of: place.from) == ["sent_from"])
            #expect(InputPlace.way(of: place.items[1999].id) == ["all_items", "1999", "id"])
            #expect(InputPlace.way(of: place.byName["1999"].id) == ["by_name", "1999", "id"])
        }
        let few = Shipment(items: [], byName: ["1": Item(id: 1)])
        #expect(ActionRefusal.invalid("No.", at: \.byName["1"].id, of: few).pointer == "#/by_name/1/id")
        // Four thousand are in it, of four members.
        #expect(readings.count.withLock { $0 } < 3 * 10 * 4000)
    }

    /// Takes not every number of them.
    struct Choices: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case all = "choices", right = "correct", name = "title" }
        var all: [String]
        var right: String
        var name = "a"
        init(_ all: String..., right: String) { (self.all, self.right) = (all, right) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            all = try container.decode([String].self, forKey: .all)
            right = try container.decode(String.self, forKey: .right)
            name = try container.decode(String.self, forKey: .name)
            guard all.count != 2, all.isEmpty || all.contains(right) else { throw CancellationError() }
        }
    }
    /// Takes another price for many.
    struct Deal: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case lines, price = "unit_price", bulk = "bulk_price" }
        var lines: [String]
        var price: Int
        var bulk: Int?
        init(lines: [String], price: Int, bulk: Int?) { (self.lines, self.price, self.bulk) = (lines, price, bulk) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lines = try container.decode([String].self, forKey: .lines)
            let unit = try container.decode(Int.self, forKey: .price)
            bulk = try container.decodeIfPresent(Int.self, forKey: .bulk)
            price = lines.count > 2 ? bulk ?? unit : unit
        }
    }

    /// Takes the lesser for many.
    struct Shipping: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case lines, price = "fee", most }
        var lines: [String]
        var price: Int
        var most: Int
        init(lines: [String], price: Int, most: Int) { (self.lines, self.price, self.most) = (lines, price, most) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lines = try container.decode([String].self, forKey: .lines)
            most = try container.decode(Int.self, forKey: .most)
            let fee = try container.decode(Int.self, forKey: .price)
            price = lines.count > 2 ? min(fee, most) : fee
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lines, forKey: .lines)
            try container.encode(lines.count > 2 ? price + 4 : price, forKey: .price)
            try container.encode(most, forKey: .most)
        }
    }

    /// Has what is due from one member, or else from another, which takes no other value.
    struct Invoice: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case lines, total = "sum", adjusted = "adjusted_sum", rate = "vat" }
        var lines: [Int]
        var total: Int
        var adjusted: Int?
        var due: Int
        var rate: Int
        init(lines: [Int], adjusted: Int? = nil) {
            (self.lines, self.adjusted) = (lines, adjusted)
            total = lines.reduce(0, +)
            due = adjusted ?? total
            rate = 19
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lines = try container.decode([Int].self, forKey: .lines)
            total = try container.decode(Int.self, forKey: .total)
            adjusted = try container.decodeIfPresent(Int.self, forKey: .adjusted)
            due = adjusted ?? total
            rate = try container.decodeIfPresent(Int.self, forKey: .rate) ?? 19
            guard total == lines.reduce(0, +) else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lines, forKey: .lines)
            try container.encode(total, forKey: .total)
            try container.encodeIfPresent(adjusted, forKey: .adjusted)
            if rate != 19 { try container.encode(rate, forKey: .rate) }
        }
    }

    /// Writes no size that it would read anyway.
    struct Search: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case text = "q", size = "page_size" }
        var text: String
        var size = 20
        init(text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            text = try container.decode(String.self, forKey: .text)
            size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 20
            guard !text.isEmpty else { throw CancellationError() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(text, forKey: .text)
            if size != 20 { try container.encode(size, forKey: .size) }
        }
    }

    struct Parcel: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case isPaid, isPacked, isReady = "force_ready" }
        var isPaid: Bool
        var isPacked: Bool
        var isReady: Bool
        init(isPaid: Bool, isPacked: Bool) {
            (self.isPaid, self.isPacked, isReady) = (isPaid, isPacked, isPaid && isPacked)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            isPaid = try container.decode(Bool.self, forKey: .isPaid)
            isPacked = try container.decode(Bool.self, forKey: .isPacked)
            isReady = try container.decodeIfPresent(Bool.self, forKey: .isReady) ?? (isPaid && isPacked)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(isPaid, forKey: .isPaid)
            try container.encode(isPacked, forKey: .isPacked)
        }
    }

    @Test("leads to what is missing beside what must not be empty, not where it is made of that")
    func missing() {
        #expect(ActionRefusal.invalid("No.", at: \.isReady, of: Parcel(isPaid: false, isPacked: false)).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.size, of: Search(text: "x")).pointer == "#/page_size")
        #expect(ActionRefusal.invalid("No.", at: \.size, of: Search(text: "a")).pointer == "#/page_size")
    }

    @Test("leads to no member for what is taken from it instead, but to one that is missing and has a value of its own")
    func stead() {
        func pointer<Member>(_ member: (InputPlace<Invoice>) -> InputPlace<Member>, in invoice: Invoice) -> String? {
            ActionRefusal.invalid("No.", at: member, of: invoice).pointer
        }
        for lines in [[10, 20], [10, 20, 30]] {
            #expect(pointer(\.due, in: Invoice(lines: lines)) == "#")
            #expect(pointer(\.due, in: Invoice(lines: lines, adjusted: 7)) == "#")
            #expect(pointer(\.rate, in: Invoice(lines: lines)) == "#/vat")
            #expect(pointer(\.adjusted, in: Invoice(lines: lines)) == "#/adjusted_sum")
        }
    }

    @Test("reads all elements where the first do not do, or lead elsewhere")
    func others() {
        func pointer<Input: Codable, Member>(
            _ member: (InputPlace<Input>) -> InputPlace<Member>, in input: Input
        ) -> String? { ActionRefusal.invalid("No.", at: member, of: input).pointer }
        let choices = Choices("a", "b", "c", right: "a")
        #expect(pointer(\.name, in: choices) == "#/title")
        #expect(pointer(\.all[2], in: choices) == "#/choices/2")
        #expect(pointer(\.price, in: Deal(lines: ["a"], price: 4, bulk: 4)) == "#/unit_price")
        #expect(pointer(\.price, in: Deal(lines: ["a", "b", "c"], price: 4, bulk: 4)) == "#/bulk_price")
        #expect(pointer(\.price, in: Shipping(lines: ["a", "b"], price: 5, most: 9)) == "#/fee")
        #expect(pointer(\.price, in: Shipping(lines: ["a", "b", "c"], price: 5, most: 5)) == "#")
    }

    @Test("goes no further where that takes too long, also to a member that has the property's own name and value")
    func late() {
        func way<Member>(_ member: (InputPlace<Order>) -> InputPlace<Member>, until: ContinuousClock.Instant)
            -> [String]
        {
            InputPlace.way(of: member(InputPlace(of: Order(title: "a"), until: until)))
        }
        let now = ContinuousClock.now
        #expect(way(\.title, until: now + .seconds(600)) == ["t/~ä"])
        #expect(way(\.title, until: now) == [])
        #expect(way(\.amount, until: now) == [])
    }

    /// Has members of other names, of which none need be there, and lets time go by at one of its readings.
    struct Slow: Codable, Sendable {
        final class Readings: Sendable { let count = Lock(0) }
        @TaskLocal static var readings = Readings()
        @TaskLocal static var slow = (reading: Int.max, until: ContinuousClock.now)
        enum CodingKeys: String, CodingKey { case size = "page_size", text = "q", order = "sort", page = "at" }
        var size = 20
        var text = "a"
        var order: [String] = ["a", "b", "c"]
        var page: Int?
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 20
            text = try container.decode(String.self, forKey: .text)
            order = try container.decode([String].self, forKey: .order)
            page = try container.decodeIfPresent(Int.self, forKey: .page)
            let reading = Self.readings.count.withLock { count in
                count += 1
                return count
            }
            while reading == Self.slow.reading, .now < Self.slow.until {}
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if size != 20 { try container.encode(size, forKey: .size) }
            try container.encode(text, forKey: .text)
            try container.encode(order, forKey: .order)
            try container.encodeIfPresent(page, forKey: .page)
        }
    }

    @Test("reads nothing more once its time is over, whichever reading took it")
    func over() throws {
        _ = try JSONSchema(of: Slow.self)
        func way(slow reading: Int, until: ContinuousClock.Instant) -> (way: [String], count: Int) {
            let readings = Slow.Readings()
            let way = Slow.$readings.withValue(readings) {
                Slow.$slow.withValue((reading, until)) {
                    InputPlace.way(of: InputPlace(of: Slow(), until: until).size)
                }
            }
            return (way, readings.count.withLock { $0 })
        }
        let (known, all) = way(slow: .max, until: .now + .seconds(600))
        #expect(known == ["page_size"])
        #expect(all > 50)
        for reading in 1...all {
            let late = way(slow: reading, until: .now + .milliseconds(5))
            #expect(late.way.isEmpty)
            #expect(late.count <= reading)
        }
    }
}
