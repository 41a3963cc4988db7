import BinderyKit
import BinderyTesting
import Foundation
import Testing

protocol Prices: Sendable {
    func price(of title: String) async throws -> Int
}

struct FixedPrices: Prices {
    func price(of title: String) -> Int { 200 }
}

struct Colour: Codable, Sendable, SchemaDescribing {
    var hex: String
    static let jsonSchema = JSONSchema.object([.init("hex", .string)])
    static let schemaExample = Colour(hex: "#ffcc00")

    init(hex: String) { self.hex = hex }

    init(from decoder: any Decoder) throws {
        hex = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .hex)
        guard hex.wholeMatch(of: /#[0-9a-f]{6}/) != nil else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not a colour"))
        }
    }
}

struct Board: ViewModel {
    typealias Services = any Prices

    struct Item: Codable {
        var title: String
        var added: Date
    }

    struct Rename: Codable {
        var item: Int
        var title: String
    }

    var items: [Item] = []
    var price: Int?

    mutating func rename(_ rename: Rename) throws {
        guard !rename.title.isEmpty else { throw Refusal.invalid("Type a title.", at: "title") }
        guard items.indices.contains(rename.item) else { throw Refusal(.gone, "The item is gone.", at: "item") }
        items[rename.item].title = rename.title
    }

    static let interface = Interface<Board>("board") {
        Output("titles", "The titles, the oldest first.") { $0.items.map(\.title) }
        Action("rename", "Renames an item.", example: Rename(item: 0, title: "Milk")) { try $0.rename($1) }
            .refusing(.invalid, "The title is empty.")
            .refusing(.gone, "There is no such item.")
        Action("add", "Adds an item.", example: "Bread") { board, title, context in
            board.items.append(Item(title: title, added: context.time))
        }
        Action("look-up", "Asks a catalogue for the price of the first item.") { board, context in
            guard let title = board.items.first?.title else { throw Refusal.disabled("There is no item.") }
            board.price = try await context.services.price(of: title)
        }.refusing(.disabled, "There is no item.")
    }
}

extension Refusal.Kind {
    static let gone = custom(type: "gone", status: 404, title: "Gone")
}

@Test("the book's colour says its schema")
func colour() throws { #expect(try JSONSchema(of: Colour.self) == Colour.jsonSchema) }
