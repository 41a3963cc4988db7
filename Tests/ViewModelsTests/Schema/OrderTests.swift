import Testing

@testable import ViewModels

@Suite("What is written without an order")
struct OrderTests {
    private static let sorted = "is written in another order each time: keep a sorted array"

    private enum Keys: CodingKey { case tags }

    private struct SetWritten: StoredModel {
        var tags: [Int] = []
        init() {}
        init(from decoder: any Decoder) throws {
            tags = try decoder.container(keyedBy: Keys.self).decode([Int].self, forKey: .tags)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(Set(tags), forKey: .tags)
        }
    }

    private struct SetRead: StoredModel {
        var tags: Set<Int> = []
        init() {}
        init(from decoder: any Decoder) throws {
            tags = try decoder.container(keyedBy: Keys.self).decode(Set<Int>.self, forKey: .tags)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(tags.sorted(), forKey: .tags)
        }
    }

    private struct WrittenIfAny: StoredModel {
        var tags: [Int] = []
        init() {}
        init(from decoder: any Decoder) throws {
            tags = try decoder.container(keyedBy: Keys.self).decodeIfPresent([Int].self, forKey: .tags) ?? []
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            if !tags.isEmpty { try container.encode([Set(tags)], forKey: .tags) }
        }
    }

    /// Of which no value can be made up.
    private struct Even: Codable, SchemaDescribing {
        var number: Int
        static let jsonSchema = JSONSchema.int
        static let jsonExample = "123456"
        init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(Int.self)
            guard number == 123_456 else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "is another"))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Set([number]))
        }
    }

    private struct Holding: StoredModel {
        var numbers: [String: [Even]] = [:]
    }

    @Test("is a fault, whatever it is read as")
    func written() {
        let fault = FoundType.of(SetWritten.self).order
        #expect(fault?.description == "its member tags, of Swift.Set<Swift.Int> \(Self.sorted)")
        #expect(throws: SchemaFault.self) { try FoundType.of(SetWritten.self).shown.get() }
    }

    @Test("is none where a set is read, and written in an order")
    func read() throws {
        #expect(FoundType.of(SetRead.self).order == nil)
        #expect(try FoundType.of(SetRead.self).shown.get() == .object([.init("tags", .array(.int))]))
    }

    @Test("is found where the first value has nothing of it")
    func writtenIfAny() {
        #expect(FoundType.of(WrittenIfAny.self).order?.path == ["tags", "*"])
        #expect(SearchedType(WrittenIfAny.self).orderFault(WrittenIfAny())?.path == ["tags", "*"])
    }

    @Test("is found in a type whose values are in none that could be made up")
    func held() {
        #expect(
            FoundType.of(Holding.self).order?.description
                == "its member numbers/*/*, of Swift.Set<Swift.Int> \(Self.sorted)")
    }
}
