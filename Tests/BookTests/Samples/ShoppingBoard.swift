import BinderyKit
import BinderyTesting
import Testing

struct ShoppingBoard: ViewModel {
    var items: [Item] = []
    var heading = "To buy"  // new: stored sessions get this text

    static let version = 3
    static func migrate(_ stored: inout JSONObject, from version: Int) throws {
        if version < 2 { stored.rename("list", to: "items") }
        if version < 3 {
            let items = try stored.decode("items", as: [ItemInYen].self)
            try stored.set("items", to: items.map { Item(title: $0.title, sen: $0.yen * 100) })
        }
    }

    struct Item: Codable, Equatable {
        var title: String
        var sen: Int
    }

    struct ItemInYen: Codable {
        var title: String
        var yen: Int
    }

    static let interface = Interface<ShoppingBoard>("shopping-board") {
        Output("heading", \.heading)
        Output("items", \.items)
    }
}

@Test("what earlier builds have stored is read")
func olderModels() async {
    let violations = await Declaration.hosting(ShoppingBoard.self).violations(older: [
        1: #"{"list":[{"title":"Milk","yen":200}]}"#,
        2: #"{"items":[{"title":"Milk","yen":200}]}"#,
    ])
    #expect(violations == [])
}
