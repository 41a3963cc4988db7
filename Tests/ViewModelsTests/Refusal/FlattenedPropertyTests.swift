import Testing

@testable import ViewModels

@Suite("The member that a property is coded by, which is all that is there, or stands among others")
struct FlattenedPropertyTests {
    typealias Line = RefusalPointerTests.Line

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
}
