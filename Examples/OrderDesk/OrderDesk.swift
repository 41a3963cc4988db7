import BinderyKit
import Foundation

/// A café: customers fill a basket and pay their order at a slow bank, and the staff see one desk.
@main
struct OrderDesk: BinderyProgram {
    static let viewModels: [Declaration] = [
        .hosting(Basket.self),  // one in each session
        .hosting(Order.self, with: Bank(), at: "orders", keys: .made),
        .hosting(Desk.self, at: "desks", keys: .listed("main")),
    ]

    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.service.authenticate = { credentials in
            let login = try credentials.decode(Login.self)
            return login.word == "open sesame" ? User(login.name, roles: ["staff"]) : nil
        }
        return options
    }

    struct Login: Decodable { let name, word: String }
}

/// The goods of the café, with their prices in cents.
enum Menu {
    static let prices = ["tea": 250, "coffee": 300, "cake": 420]
}

/// The content of an order, from the basket.
struct Ticket: Codable, Sendable {
    var items: [String] = []
    var cents = 0
}

/// The items that a customer has chosen.
struct Basket: ViewModel {
    var items: [String] = []
    /// The path of the last order, which only this customer knows.
    var order = ""

    var cents: Int { items.reduce(0) { $0 + (Menu.prices[$1] ?? 0) } }

    static let interface = Interface<Basket>("basket", "The items that a customer has chosen.") {
        Output("items", \.items, "The items in the basket.")
        Output("cents", \.cents, "The price of all items.")
        Output("order", \.order, "The path of the last order; empty for none.")
        Action("add", "Puts an item into the basket.", example: "tea") { try $0.add($1) }
            .refusing(.invalid, "The café does not sell it.")
        Action("order", "Orders the items in the basket.") { try $0.order($1) }
            .refusing(.disabled, "The basket is empty.")
    }

    mutating func add(_ item: String) throws {
        guard Menu.prices[item] != nil else { throw Refusal.invalid("The café sells tea, coffee and cake.") }
        items.append(item)
    }

    mutating func order(_ context: Context) throws {
        guard !items.isEmpty else { throw Refusal.disabled("The basket is empty.") }
        order = "orders/\(UUID().uuidString.prefix(13).lowercased())"
        // The order is another entity. The server opens it once, after it has stored this change.
        context.effects.act(on: order, "open", Ticket(items: items, cents: cents))
        items = []
    }
}
