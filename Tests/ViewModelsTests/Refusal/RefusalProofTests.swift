import Testing

@testable import ViewModels

@Suite("The member that a refusal's pointer names")
struct RefusalProofTests {
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
        #expect(pointer([RefusalPointerTests.Line(sku: "a")], \.[0].all) == "#/0")
        #expect(pointer([RefusalPointerTests.Line(sku: "a")], \.[0].all[0].sku) == "#/0/0/sku")
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
        let stay = RefusalPointerTests.Stay(
            name: "", from: RefusalPointerTests.Day("2026-01-31"), until: RefusalPointerTests.Day("2026-01-31"),
            street: "", rows: [])
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
        var stops: [RefusalPointerTests.Line]
        var person: Person
        var name: String
        var age = 2
        enum CodingKeys: CodingKey { case stops, who, years, name, age }
        init(stops: [RefusalPointerTests.Line], person: Person, name: String) {
            (self.stops, self.person, self.name) = (stops, person, name)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            stops = try container.decode([RefusalPointerTests.Line].self, forKey: .stops).reversed()
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
            stops: [RefusalPointerTests.Line(sku: "x"), RefusalPointerTests.Line(sku: "y")],
            person: Person(name: "a", age: 1), name: "a")
        #expect(ActionRefusal.invalid("No.", at: \.stops, of: ticket).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.stops[0], of: ticket).pointer == "#")
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

    enum Line: String, Codable { case line }
    /// Says that each of two members is the other.
    struct Masked: Codable, Sendable, CustomReflectable {
        var kind = Only.line
        var type = Line.line
        var customMirror: Mirror { Mirror(self, children: ["type": kind, "kind": type]) }
    }
    /// Has what its only member, which takes one value alone, has nothing to do with.
    struct Sealed: Codable, Sendable {
        struct Seal: Codable, Sendable { var isTold = true }
        enum CodingKeys: CodingKey { case isTold }
        var seal = Seal()
        var isTold = true
        init() {}
        init(from decoder: any Decoder) throws {
            isTold = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isTold)
            guard isTold else { throw CancellationError() }
        }
    }

    @Test("is not what the type says of itself, nor what takes no other value, as nothing is proven by that")
    func said() {
        #expect(ActionRefusal.invalid("No.", at: \.kind, of: Masked()).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.seal.isTold, of: Sealed()).pointer == "#")
        #expect(ActionRefusal.invalid("No.", at: \.isTold, of: Sealed()).pointer == "#/isTold")
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
}
