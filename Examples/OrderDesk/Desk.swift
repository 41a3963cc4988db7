import BinderyKit

/// The desk of the café: all staff see it, and everybody sees its board.
struct Desk: ViewModel {
    /// An order on the desk.
    struct Row: Codable, Sendable {
        var id = ""
        var state = Order.State.open
        var items: [String] = []
        var cents = 0
    }

    /// A line of the board, by which customers find their own order.
    struct Line: Codable, Sendable { var id: String, state: Order.State }

    var orders: [Row] = []
    var takings = 0

    var board: [Line] { orders.map { Line(id: String($0.id.prefix(4)), state: $0.state) } }

    static let interface = Interface<Desk>("desk", "The orders of the café.") {
        Output("board", \.board, "The orders by the beginning of their ids.")
        Output("orders", \.orders, by: \.id, "The orders, the oldest first.")
        Output("takings", \.takings, "The sum of the paid orders, in cents.")
        Facet("public", "For everybody.", showing: "board")
        // No user has this role, and effects need none. So only orders run this action.
        Action("put", "Shows an order as it is now.", example: Row()) { $0.put($1) }.allowing("order")
    }

    static func access(_ user: User?, _ desk: Desk) -> Access {
        user?.roles.contains("staff") == true ? .all : .facet("public")
    }

    mutating func put(_ row: Row) {
        let place = orders.firstIndex { $0.id == row.id }
        if row.state == .paid, place.map({ orders[$0].state }) != .paid { takings += row.cents }
        switch (place, row.state) {
        case (let place?, .served), (let place?, .expired): orders.remove(at: place)
        case (let place?, _): orders[place] = row
        case (nil, .served), (nil, .expired): break
        case (nil, _): orders.append(row)
        }
    }
}
