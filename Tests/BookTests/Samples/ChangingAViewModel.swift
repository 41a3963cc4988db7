import BinderyKit
import BinderyTesting
import Foundation
import Testing

/// The first build's board, whose items had only a title and a price in yen.
struct BoardModel: StoredModel {
    var items: [BoardItem] = []
    var heading = "To buy"

    static let version = 3
    static func migrate(_ stored: inout StoredObject, from version: Int) throws {
        if version < 2 { stored.rename("list", to: "items") }
        if version < 3 {
            try stored.changeEach("items") { item in
                try item.set("sen", to: item.get("yen", as: Int.self) * 100)
                item.remove("yen")
            }
        }
    }
}

struct BoardItem: StoredValue {
    var title = ""
    var sen = 0
    var isBought = false  // new: the items that are stored get false
}

private final class ShoppingBoard: ViewModel {
    static let interface = Interface<ShoppingBoard>("shopping") {
        Output("total", \.total)
        Output("open", \.open)
        Action("buy", ShoppingBoard.buy)
    }

    func buy() {
        for place in model.items.indices { model.items[place].isBought = true }
    }

    var total: Int { model.items.map(\.sen).reduce(0, +) }
    var open: Int { model.items.count { !$0.isBought } }
    private(set) var model: BoardModel
    init(model: BoardModel) { self.model = model }
}

@Test("what each earlier build stored is read")
func earlierBuilds() async {
    let violations = await Declaration.hosting(ShoppingBoard.init(model:))
        .violations(olderModels: [
            OlderModel(#"{"list":[{"title":"Milk","yen":200}]}"#, gone: ["yen"]),
            OlderModel(#"{"items":[{"title":"Milk","yen":200}]}"#, version: 2, gone: ["yen"]),
        ])
    #expect(violations == [])
}

@Test("what is stored today is an older model of tomorrow")
func today() async throws {
    try await withServer(viewModels: [.hosting(ShoppingBoard.init(model:))]) { server in
        let board = try await server.session().viewModel(ShoppingBoard.self)
        try await board.act("buy")
        if let model = try await server.storedModel(of: board) { print(model) }
    }
}

@Test("the migrated model has the values in the new unit")
func migrated() throws {
    let board = try Declaration.hosting(ShoppingBoard.init(model:)).make(
        in: ViewModelContext(), from: Array(#"{"list":[{"title":"Milk","yen":200}]}"#.utf8), storedBy: 1)
    #expect(
        try board.encodedModel()
            == Array(
                #"{"heading":"To buy","items":[{"isBought":false,"sen":20000,"title":"Milk"}]}"#.utf8))
}
