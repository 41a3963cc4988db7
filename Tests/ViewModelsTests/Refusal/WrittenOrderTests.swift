import Testing

@testable import ViewModels

@Suite("The element of what is written in another order")
struct WrittenOrderTests {
    typealias Line = RefusalPointerTests.Line

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
}
