import BinderyKit
import BinderyTesting
import Testing

/// The book's café: baskets of sessions, one desk, and orders by key.
enum Cafe: BinderyProgram {
    static let viewModels: [Declaration] = [
        .hosting(Basket.self),  // one in each session
        .hosting(Desk.self, at: "desks", keys: .listed("main")),  // exists from the start
        .hosting(Order.self, at: "orders", keys: .made),  // an action makes each one
    ]
}

struct Basket: ViewModel {
    var items: [String] = []

    static let interface = Interface<Basket>("basket") { Output("items", \.items) }
}

struct Desk: ViewModel {
    var orders: [String] = []

    static let interface = Interface<Desk>("desk") { Output("orders", \.orders) }
}

struct Order: ViewModel {
    var key = ""
    var state = "open"

    static let interface = Interface<Order>("order") {
        Output("state", \.state)
        Action("open", "Begins the order.") { order, context in order.key = context.key ?? "" }.making()
        Action("close", "Ends the order.") { order, context in
            order.state = "closed"
            context.end()
        }
    }
}

@Test("the café's view models keep the rules, and an order begins and ends")
func cafe() async throws {
    #expect(await Cafe.viewModels.violations() == [])
    try await withServer(Cafe.self) { server in
        let session = try await server.session()
        try await session.action("open", at: "orders/7f3c")()
        let order = try await session.viewModel(Order.self, at: "orders/7f3c")
        #expect(order.state.value == "open")
        try await order.close()
        #expect(order.state.value == "closed")
        let problem = await #expect(throws: RemoteProblem.self) {
            try await session.viewModel(Order.self, at: "orders/7f3c")
        }
        #expect(problem?.status == 404)
    }
}
