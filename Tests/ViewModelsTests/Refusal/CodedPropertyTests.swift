import Locking
import Testing

@testable import ViewModels

@Suite("The member that a property is coded by")
struct CodedPropertyTests {
    typealias Line = RefusalPointerTests.Line

    private func pointer<Input: Codable, Member>(
        _ member: (InputPlace<Input>) -> InputPlace<Member>, in input: Input
    ) -> String? { ActionRefusal.invalid("No.", at: member, of: input).pointer }

    struct Post: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case zip = "postcode", box = "zip", postcode = "box", note, isOpen = "open"
        }
        var zip: String?
        var box: String?
        var postcode: String?
        var note = ""
        var isOpen = true
    }

    @Test("has the name that the coding key with the property's name has, whatever other members are called")
    func renamed() {
        for post in [Post(), Post(zip: "a", box: "a", postcode: "a")] {
            #expect(pointer(\.zip, in: post) == "#/postcode")
            #expect(pointer(\.box, in: post) == "#/zip")
            #expect(pointer(\.postcode, in: post) == "#/box")
            #expect(pointer(\.note, in: post) == "#/note")
            #expect(pointer(\.isOpen, in: post) == "#/open")
        }
    }

    /// Has what is missing from another, and does not write it.
    struct Booking: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case start = "from", end = "until", nights }
        var start: Int
        var end: Int
        var nights: Int
        var isLong: Bool
        init(start: Int) { (self.start, end, nights, isLong) = (start, start, 0, false) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            start = try container.decode(Int.self, forKey: .start)
            end = try container.decodeIfPresent(Int.self, forKey: .end) ?? start
            guard start <= end else { throw CancellationError() }
            nights = end - start
            isLong = nights > 20
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(start, forKey: .start)
            if end != start { try container.encode(end, forKey: .end) }
        }
    }

    @Test(
        "is the property's own where it is missing and another is taken, and none where it is coded by none or never read"
    )
    func missing() {
        #expect(pointer(\.start, in: Booking(start: 5000)) == "#/from")
        #expect(pointer(\.end, in: Booking(start: 5000)) == "#/until")
        #expect(pointer(\.nights, in: Booking(start: 5000)) == "#")
        #expect(pointer(\.isLong, in: Booking(start: 5000)) == "#")
    }

    /// Written in another unit, and in another order.
    struct Trip: Codable, Sendable {
        enum CodingKeys: CodingKey { case amount, tags, stops }
        var cents: Int
        var tags: [String]
        var stops: [Line]
        init(cents: Int, tags: [String], stops: [Line]) { (self.cents, self.tags, self.stops) = (cents, tags, stops) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            cents = Int(try container.decode(Double.self, forKey: .amount) * 100)
            tags = try container.decode([String].self, forKey: .tags).sorted()
            stops = try container.decode([Line].self, forKey: .stops).reversed()
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Double(cents) / 100, forKey: .amount)
            try container.encode(tags.sorted(by: >), forKey: .tags)
            try container.encode(stops.reversed(), forKey: .stops)
        }
    }

    @Test(
        "leads to no element of a list that is written in another order, and is none where the property is written as another"
    )
    func others() {
        let trip = Trip(cents: 500, tags: ["a", "b"], stops: [Line(sku: "x"), Line(sku: "y")])
        #expect(pointer(\.cents, in: trip) == "#")
        #expect(pointer(\.["amount"], in: trip) == "#/amount")
        #expect(pointer(\.tags, in: trip) == "#/tags")
        #expect(pointer(\.tags[0], in: trip) == "#/tags")
        #expect(pointer(\.stops[0].sku, in: trip) == "#/stops")
    }

    /// Writes its last first, and what is blank not at all.
    struct Pile: Codable, Sendable, RandomAccessCollection {
        var all: [String]
        var startIndex: Int { 0 }
        var endIndex: Int { all.count }
        subscript(position: Int) -> String { all[position] }
        init(_ all: String...) { self.all = all }
        init(from decoder: any Decoder) throws { all = try [String](from: decoder).reversed() }
        func encode(to encoder: any Encoder) throws { try all.filter { !$0.isEmpty }.reversed().encode(to: encoder) }
    }

    /// Writes the names of a dictionary in capitals.
    struct Capitals: Codable, Sendable {
        enum CodingKeys: CodingKey { case all }
        var all: [String: Int]
        init(_ all: [String: Int]) { self.all = all }
        init(from decoder: any Decoder) throws {
            let written = try decoder.container(keyedBy: CodingKeys.self).decode([String: Int].self, forKey: .all)
            all = .init(uniqueKeysWithValues: written.map { ($0.key.lowercased(), $0.value) })
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let written = [String: Int](uniqueKeysWithValues: all.map { ($0.key.uppercased(), $0.value) })
            try container.encode(written, forKey: .all)
        }
    }

    @Test("leads to no element of a collection that does not write all of them in their order")
    func collection() {
        #expect(pointer(\.[1], in: Pile("a", "b", "a")) == "#/1")
        #expect(pointer(\.[0], in: Pile("a", "b")) == "#")
        #expect(pointer(\.[1], in: Pile("a", "a", "")) == "#")
        #expect(pointer(\.[1], in: 1..<3) == "#")
        #expect(pointer(\.[1], in: -1 ..< .max) == "#")
        let entry: (InputPlace<Capitals>) -> InputPlace<Int> = { $0.all["a"] }
        #expect(pointer(entry, in: Capitals(["a": 1])) == "#/all")
        #expect(pointer(entry, in: Capitals(["b": 1])) == "#/all/a")
    }

    struct Person: Codable, Sendable { var name: String, age: Int }
    /// Has a person's members among its own, of which one is called as a property of its own is.
    struct Guest: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case name = "nick", seats }
        var person: Person
        var name: String
        var seats = 1
        var age = 1
        init(_ person: Person) { (self.person, name) = (person, person.name) }
        init(from decoder: any Decoder) throws {
            person = try Person(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decodeIfPresent(String.self, forKey: .name) ?? person.name
            seats = try container.decode(Int.self, forKey: .seats)
        }
        func encode(to encoder: any Encoder) throws {
            try person.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            if name != person.name { try container.encode(name, forKey: .name) }
            try container.encode(seats, forKey: .seats)
        }
    }
    /// Has two, of which one is written otherwise.
    struct Table: Codable, Sendable {
        enum CodingKeys: CodingKey { case hostName, hostAge }
        var host: Person
        var guest: Person
        init(host: Person, guest: Person) { (self.host, self.guest) = (host, guest) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            host = Person(
                name: try container.decode(String.self, forKey: .hostName),
                age: try container.decode(Int.self, forKey: .hostAge))
            guest = try Person(from: decoder)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(host.name, forKey: .hostName)
            try container.encode(host.age, forKey: .hostAge)
            try guest.encode(to: encoder)
        }
    }
    /// Has a seal that is never read.
    struct Sealed: Codable, Sendable {
        struct Seal: Codable, Sendable { var isTold = true }
        enum CodingKeys: CodingKey { case isTold }
        var seal = Seal()
        var isTold = true
        init() {}
        init(from decoder: any Decoder) throws {
            isTold = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isTold)
        }
    }

    /// Has no members of its own.
    struct Pair: Codable, Sendable {
        struct Pet: Codable, Sendable { var kind = "a" }
        var person: Person
        var pet: Pet
        var name = "a"
        var kind = "a"
        init(_ person: Person) { (self.person, pet) = (person, Pet()) }
        init(from decoder: any Decoder) throws { (person, pet) = try (Person(from: decoder), Pet(from: decoder)) }
        func encode(to encoder: any Encoder) throws {
            try person.encode(to: encoder)
            try pet.encode(to: encoder)
        }
    }

    /// Has the members of what it is declared in among its own.
    struct Holder: Codable, Sendable {
        var name = "a"
        struct Guest: Codable, Sendable {
            var person = Holder()
            var name = "nick"
            init() {}
            init(from decoder: any Decoder) throws { person = try Holder(from: decoder) }
            func encode(to encoder: any Encoder) throws { try person.encode(to: encoder) }
        }
    }

    @Test("is no member of a structure whose members stand among the object's own")
    func flattened() {
        let person = Person(name: "a", age: 2)
        #expect(pointer(\.person, in: Guest(person)) == "#")
        #expect(pointer(\.person.age, in: Guest(person)) == "#")
        #expect(pointer(\.["age"], in: Guest(person)) == "#/age")
        #expect(pointer(\.name, in: Guest(person)) == "#/nick")
        #expect(pointer(\.seats, in: Guest(person)) == "#/seats")
        #expect(pointer(\.age, in: Guest(person)) == "#")
        #expect(pointer(\.name, in: Pair(person)) == "#")
        #expect(pointer(\.kind, in: Pair(person)) == "#")
        #expect(pointer(\.name, in: Holder.Guest()) == "#")
        #expect(pointer(\.host.name, in: Table(host: person, guest: person)) == "#")
        #expect(pointer(\.guest.name, in: Table(host: person, guest: person)) == "#")
        #expect(pointer(\.seal.isTold, in: Sealed()) == "#")
        #expect(pointer(\.isTold, in: Sealed()) == "#/isTold")
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

    /// Is read from all of a value, and made, too.
    struct Doubled: Codable, Sendable {
        var all = Line(sku: "a")
        var made = Line(sku: "a")
        init() {}
        init(from decoder: any Decoder) throws { all = try decoder.singleValueContainer().decode(Line.self) }
        func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }
    }
    /// Has a person of whom it is told a name.
    struct Badge: Codable, Sendable {
        enum CodingKeys: CodingKey { case name, age }
        var holder = Person(name: "a", age: 1)
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            holder.name = try container.decode(String.self, forKey: .name)
            holder.age = try container.decode(Int.self, forKey: .age)
        }
        func encode(to encoder: any Encoder) throws { try holder.encode(to: encoder) }
    }

    /// Reads a person in an envelope, or as it is.
    struct Envelope: Codable, Sendable, SchemaDescribing {
        struct Person: Codable, Sendable { var name: String? }
        enum CodingKeys: CodingKey { case payload }
        static let jsonSchema = JSONSchema.object([
            .init("payload", .object([.init("name", .string, isRequired: false)]), isRequired: false),
            .init("name", .string, isRequired: false),
        ])
        var person = Person(name: "a")
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try? decoder.container(keyedBy: CodingKeys.self)
            if let person = try? container?.decode(Person.self, forKey: .payload) {
                self.person = person
            } else {
                person = try decoder.singleValueContainer().decode(Person.self)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(person, forKey: .payload)
        }
    }
    @Test("is none for what is all that is there")
    func all() {
        #expect(pointer(\.[0].all, in: [Whole([Line(sku: "a")])]) == "#/0")
        #expect(pointer(\.[0].all[0].sku, in: [Whole([Line(sku: "a")])]) == "#/0/0/sku")
        #expect(pointer(\.[0].all.sku, in: [Whole(Line(sku: "a"))]) == "#/0/sku")
        #expect(pointer(\.[0].all["a"], in: [Whole(["a": "b"])]) == "#/0/a")
        #expect(pointer(\.person.name, in: Envelope()) == "#")
        #expect(pointer(\.made.sku, in: Doubled()) == "#")
        #expect(pointer(\.holder.name, in: Badge()) == "#")
        #expect(pointer(\.[0].all, in: [Whole(7)]) == "#/0")
    }

    /// Has keys of its own making.
    struct Sheet<Cell: Codable & Sendable>: Codable, Sendable {
        struct CodingKeys: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        var cells: [Cell]
        init(_ cells: [Cell]) { self.cells = cells }
        init(from decoder: any Decoder) throws {
            cells = try decoder.container(keyedBy: CodingKeys.self).decode(
                [Cell].self, forKey: CodingKeys(stringValue: "cells"))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(cells, forKey: CodingKeys(stringValue: "cells"))
        }
    }
    struct Page<Item: Codable & Sendable>: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case items = "all_items" }
        var items: [Item]
    }
    enum StayKeys: String, CodingKey { case start = "from" }
    struct Stay: Codable, Sendable {
        var start: Int
        init(start: Int) { self.start = start }
        init(from decoder: any Decoder) throws {
            start = try decoder.container(keyedBy: StayKeys.self).decode(Int.self, forKey: .start)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: StayKeys.self)
            try container.encode(start, forKey: .start)
        }
    }

    /// Has things that say where they are.
    struct Shelf: Codable, Sendable, SchemaDescribing {
        struct Thing: Codable, Sendable {
            enum CodingKeys: String, CodingKey { case size = "thing_size" }
            var path: [String]
            var size: Int
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
                precondition(["lists -1", "007 7", "1 1"] == path)
                size = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .size)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(size, forKey: .size)
            }
        }
        static let jsonSchema = JSONSchema.object([
            .init("lists", .dictionary(.array(.nullable(.object([.init("thing_size", .integer(0...9))])))))
        ])
        var lists: [String: [Thing?]]
    }

    @Test("is found where a type reads where it is, which is as in the action's input")
    func path() throws {
        let body = try JSONGrammar.read(Array(#"{"lists": {"007": [null, {"thing_size": 1}]}}"#.utf8))
        let shelf = try JSONNodeDecoder(node: body).decode(Shelf.self)
        #expect(pointer(\.lists["007"][1].size, in: shelf) == "#/lists/007/1/thing_size")
    }

    /// Reads what older apps send, too.
    struct Item: Codable, Sendable {
        enum CodingKeys: String, CodingKey { case sku, name = "title" }
        enum OldKeys: String, CodingKey { case sku = "article", name = "label" }
        var sku: String
        var name: String?
        init(sku: String, name: String? = nil) { (self.sku, self.name) = (sku, name) }
        init(from decoder: any Decoder) throws {
            let old = try decoder.container(keyedBy: OldKeys.self)
            let new = try decoder.container(keyedBy: CodingKeys.self)
            let skus = try (
                new.decodeIfPresent(String.self, forKey: .sku), old.decodeIfPresent(String.self, forKey: .sku)
            )
            let names = try (
                new.decodeIfPresent(String.self, forKey: .name), old.decodeIfPresent(String.self, forKey: .name)
            )
            sku = skus.0 ?? skus.1 ?? ""
            name = names.0 ?? names.1
        }
    }

    @Test("is that of its coding keys where older names are read, too")
    func older() {
        #expect(pointer(\.sku, in: Item(sku: "a")) == "#/sku")
        #expect(pointer(\.name, in: Item(sku: "a", name: "b")) == "#/title")
        #expect(pointer(\.name, in: Item(sku: "a")) == "#/title")
    }

    /// Has keys that are not called so, and reads others before, which are not there.
    struct Coupon: Codable, Sendable {
        enum OldKeys: String, CodingKey { case name = "coupon_name" }
        enum NewKeys: String, CodingKey { case name = "title" }
        var name: String
        init(name: String) { self.name = name }
        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: OldKeys.self).decode(String.self, forKey: .name)
            name = try decoder.container(keyedBy: NewKeys.self).decode(String.self, forKey: .name)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: NewKeys.self)
            try container.encode(name, forKey: .name)
        }
    }
    /// Is flattened by one of its name.
    struct Twin: Codable, Sendable { var name = "a" }

    struct Extended<Item: Sendable>: Sendable { var item: Item }
    /// Has its members among its own, and as long a name.
    struct Extender<Item: Codable & Sendable>: Codable, Sendable {
        var inner: Extended<Item>
        var item: Item
        init(_ item: Item) { (inner, self.item) = (Extended(item: item), item) }
        init(from decoder: any Decoder) throws {
            inner = try Extended(from: decoder)
            item = inner.item
        }
        func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
    }
    /// Has keys with one that carries something.
    struct Payload: Codable, Sendable {
        enum CodingKeys: CodingKey {
            case id, other(String)
            var stringValue: String { if case .other(let name) = self { name } else { "id" } }
            var intValue: Int? { nil }
            init?(stringValue: String) { self = stringValue == "id" ? .id : .other(stringValue) }
            init?(intValue: Int) { nil }
        }
        var id = 1
        var extra = "a"
        var other = "a"
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            extra = try container.decode(String.self, forKey: .other("extra"))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(extra, forKey: .other("extra"))
        }
    }
    /// Has keys that say another text than they are declared with.
    struct Computed: Codable, Sendable {
        enum CodingKeys: String, CodingKey {
            case price = "basePrice"
            case basePrice = "price"
            var stringValue: String { "the_\(rawValue)" }
            init?(stringValue: String) { self.init(rawValue: String(stringValue.dropFirst(4))) }
        }
        var price = 1
        var basePrice = 1
    }

    @Test(
        "is found by the coding keys in a structure or its extension, not by those beside one, of another name, or that are made"
    )
    func keys() {
        struct Twin: Codable, Sendable {
            var twin = CodedPropertyTests.Twin()
            var name = "b"
            init() {}
            init(from decoder: any Decoder) throws { twin = try CodedPropertyTests.Twin(from: decoder) }
            func encode(to encoder: any Encoder) throws { try twin.encode(to: encoder) }
        }
        struct Local: Codable, Sendable {
            enum CodingKeys: String, CodingKey { case text = "q" }
            var text = "a"
        }
        #expect(pointer(\.cells[0], in: Sheet([1])) == "#")
        #expect(pointer(\.["cells"][0], in: Sheet([1])) == "#/cells/0")
        #expect(
            pointer(\.items[0].items[0].sku, in: Page(items: [Page(items: [Line(sku: "a")])]))
                == "#/all_items/0/all_items/0/sku")
        #expect(pointer(\.start, in: Stay(start: 1)) == "#")
        #expect(pointer(\.item, in: Extended(item: 1)) == "#/the_item")
        #expect(pointer(\.item, in: Extender(1)) == "#")
        #expect(pointer(\.other, in: Payload()) == "#")
        #expect(pointer(\.id, in: Payload()) == "#")
        #expect(pointer(\.price, in: Computed()) == "#/the_basePrice")
        #expect(pointer(\.basePrice, in: Computed()) == "#/the_price")
        #expect(pointer(\.text, in: Local()) == "#/q")
        #expect(pointer(\.name, in: Twin()) == "#")
        #expect(pointer(\.name, in: Coupon(name: "a")) == "#")
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
    struct Parcel: Codable, Sendable {
        var kind = Only.line
        var number = "a"
        var note = "a"
        var line = Line(sku: "a")
        var amount = 1
    }
    indirect enum Filter: Codable, Sendable { case all, not(Filter) }
    class Shape: Codable, @unchecked Sendable {
        // Safe: nothing changes it.
        var side = 1
        init() {}
    }
    final class Cube: Shape, @unchecked Sendable {}
    struct Drawing: Codable, Sendable {
        var from: Shape
        var to: Shape
    }
    /// Says that each of two members is the other.
    struct Masked: Codable, Sendable, CustomReflectable {
        var kind = "a"
        var type = "b"
        var customMirror: Mirror { Mirror(self, children: ["type": kind, "kind": type]) }
    }

    @Test(
        "is the property's where one that takes no room is stored before it, and none where the structure says itself what it has"
    )
    func told() {
        #expect(pointer(\.quantity, in: Purchase(quantity: 1)) == "#/quantity")
        #expect(pointer(\.version, in: Purchase(quantity: 1)) == "#/version")
        #expect(pointer(\.name, in: Entry(name: "line")) == "#/name")
        #expect(pointer(\.type, in: Entry(name: "line")) == "#/type")
        #expect(pointer(\.accepted, in: Entry(name: "line")) == "#")
        #expect(pointer(\.kind, in: Masked()) == "#")
        #expect(pointer(\.number, in: Parcel()) == "#")
        #expect(pointer(\.note, in: Parcel()) == "#/note")
        #expect(pointer(\.amount, in: Parcel()) == "#/amount")
        #expect(pointer({ $0[dynamicMember: \.line.count] }, in: Parcel()) == "#")
        #expect(pointer({ $0[dynamicMember: \.self] }, in: Filter.not(.all)) == "#")
        #expect(pointer(\.from, in: Drawing(from: Cube(), to: Shape())) == "#/from")
        #expect(pointer(\.to, in: Drawing(from: Shape(), to: Cube())) == "#/to")
    }

    /// Counts how often it is read.
    struct Counted: Codable, Sendable {
        final class Readings: Sendable { let count = Lock(0) }
        @TaskLocal static var readings = Readings()
        var id: Int
        init(id: Int) { self.id = id }
        init(from decoder: any Decoder) throws {
            Self.readings.count.withLock { $0 += 1 }
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
    }

    @Test("is found without reading what is in the object")
    func once() throws {
        _ = try JSONSchema(of: Page<Counted>.self)
        let place = InputPlace(of: Page(items: (0..<2000).map(Counted.init)))
        let readings = Counted.Readings()
        Counted.$readings.withValue(readings) {
            #expect(InputPlace.way(of: place.items[1999].id) == ["all_items", "1999", "id"])
        }
        #expect(readings.count.withLock { $0 } == 1)
    }

    @Test("is found in what holds itself, however deep")
    func deep() {
        typealias Tree = RefusalPointerTests.Tree
        let tree = (0..<100).reduce(Tree(name: "a")) { tree, _ in Tree(name: "a", kids: [tree]) }
        let name = pointer({ (0..<20).reduce($0) { place, _ in place.kids[0] }.name }, in: tree)
        #expect(name == "#" + String(repeating: "/kids/0", count: 20) + "/name")
    }
}

extension CodedPropertyTests.Extended: Codable where Item: Codable {
    enum CodingKeys: String, CodingKey { case item = "the_item" }
}
