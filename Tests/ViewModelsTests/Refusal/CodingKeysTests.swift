import Testing

@testable import ViewModels

@Suite("The coding keys by which a refused member is named")
struct CodingKeysTests {
    typealias Line = RefusalPointerTests.Line

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
            var twin = CodingKeysTests.Twin()
            var name = "b"
            init() {}
            init(from decoder: any Decoder) throws { twin = try CodingKeysTests.Twin(from: decoder) }
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
}

extension CodingKeysTests.Extended: Codable where Item: Codable {
    enum CodingKeys: String, CodingKey { case item = "the_item" }
}
