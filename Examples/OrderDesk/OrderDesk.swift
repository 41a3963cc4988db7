import BinderyKit
import Foundation

/// A café: customers fill a basket, pay their order at a slow bank, and the staff see one desk.
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

/// What the café sells, and the prices in cents.
enum Menu {
    static let prices = ["tea": 250, "coffee": 300, "cake": 420]
}

/// What an order is of, as the basket hands it over.
struct Ticket: Codable, Sendable {
    var items: [String] = []
    var cents = 0
}

/// What a customer has chosen.
struct Basket: ViewModel {
    var items: [String] = []
    /// The path of the last order, which only this customer knows.
    var order = ""

    var cents: Int { items.reduce(0) { $0 + (Menu.prices[$1] ?? 0) } }

    static let interface = Interface<Basket>("basket", "What a customer has chosen.") {
        Output("items", \.items, "What is in the basket.")
        Output("cents", \.cents, "The price of all.")
        Output("order", \.order, "The path of the last order; empty for none.")
        Action("add", "Puts something into the basket.", example: "tea") { try $0.add($1) }
            .refusing(.invalid, "The café does not sell it.")
        Action("order", "Orders what is in the basket.") { try $0.order($1) }
            .refusing(.disabled, "The basket is empty.")
    }

    mutating func add(_ item: String) throws {
        guard Menu.prices[item] != nil else { throw Refusal.invalid("The café sells tea, coffee and cake.") }
        items.append(item)
    }

    mutating func order(_ context: Context) throws {
        guard !items.isEmpty else { throw Refusal.disabled("The basket is empty.") }
        order = "orders/\(UUID().uuidString.prefix(13).lowercased())"
        // The order is another entity: it is opened once this change is stored, and once only.
        context.effects.act(on: order, "open", Ticket(items: items, cents: cents))
        items = []
    }
}
