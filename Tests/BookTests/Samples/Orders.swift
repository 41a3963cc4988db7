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

    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.service.authenticate = { credentials in
            let login = try credentials.decode(Login.self)
            return login.word == "open" ? User(login.name, roles: ["staff"]) : nil
        }
        return options
    }
}

struct Login: Codable { let name, word: String }

struct Till: ViewModel {
    var drink = "tea"
    var drawer = 0

    static let interface = Interface<Till>("till") {
        Output("drink", \.drink, "The drink of the day.")
        Output("drawer", \.drawer, "The money in the drawer.")
        Facet("board", "What everybody sees.", showing: "drink")
        Action("refund", "Pays money back.") { $0.drawer -= 1 }.allowing("staff")
    }

    static func access(_ user: User?, _ till: Till) -> Access {
        user?.roles.contains("staff") == true ? .all : .facet("board")
    }
}

struct Queue: ViewModel {
    struct Guest: Codable, Sendable { var id, name: String }
    var guests: [Guest] = []

    static let interface = Interface<Queue>("queue") {
        Output("guests", \.guests, by: \.id, "Who waits, the first one first.")
        Action("join", example: Guest(id: "a", name: "Ann")) { queue, guest in queue.guests.append(guest) }
        Action("call") { queue in if !queue.guests.isEmpty { queue.guests.removeFirst() } }
    }
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

@Test("a queue is followed row by row")
func queue() async throws {
    try await withServer(viewModels: [.hosting(Queue.self)]) { server in
        let queue = try await server.session().viewModel(Queue.self)
        let watched = try await queue.session.viewModel(Queue.self)
        for id in ["a", "b", "c"] { try await queue.join(Queue.Guest(id: id, name: id)) }
        try await queue.call()
        for await guests in watched.guests.values where guests.map(\.id) == ["b", "c"] { break }
        let twice = await #expect(throws: RemoteProblem.self) { try await queue.join(Queue.Guest(id: "b", name: "")) }
        #expect(twice?.status == 500)
    }
}

@Test("the till's drawer is for staff")
func till() async throws {
    let tills = Declaration.hosting(Till.self, at: "tills", keys: .listed("front"))
    #expect(await tills.violations() == [])
    try await withServer(viewModels: [tills], options: Cafe.options) { server in
        let staff = try await server.client.session(Login(name: "sam", word: "open"))
        let till = try await staff.viewModel(Till.self, at: "tills/front")
        try await till.refund()
        #expect(till.drawer.value == -1)
        let wrong = await #expect(throws: RemoteProblem.self) {
            try await server.client.session(Login(name: "eve", word: "please"))
        }
        #expect(wrong?.status == 401)
        let guest = try await server.client.session()
        let seen = try await guest.viewModel(Till.self, at: "tills/front")
        #expect(seen.drink.value == "tea")
        #expect(throws: RemoteFailure.self) { try seen.output("drawer", as: Int.self) }
        let refused = await #expect(throws: RemoteProblem.self) {
            try await guest.action("refund", at: "tills/front")()
        }
        #expect(refused?.status == 403)
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

struct Cart: ViewModel {
    var items: [String] = []

    static let interface = Interface<Cart>("cart") {
        Output("items", \.items)
        Action("order") { try $0.order($1) }
    }

    mutating func order(_ context: Context) throws {
        guard !items.isEmpty else { throw Refusal.disabled("The basket is empty.") }
        context.effects.act(on: "desks/main", "put", items)
        items = []
    }
}

struct Reservation: ViewModel {
    var isHeld = false

    static let interface = Interface<Reservation>("reservation") {
        Output("isHeld", \.isHeld)
        Action("hold", "Holds the table for a quarter of an hour.") { reservation, context in
            reservation.isHeld = true
            context.effects.start("expire", key: "expire", after: .seconds(900))
        }
        Effect("expire") { $0.isHeld = false }
    }
}

struct Bank {
    var receipt = "r1"

    func charge(_ card: String, _ cents: Int, id: String) async throws -> String { receipt }
}

struct Payment: ViewModel {
    struct Charge: Codable { var card = "", cents = 0 }

    var state = "open"

    static let interface = Interface<Payment>("payment") {
        Output("state", \.state)
        Action("begin") { _, context in context.effects.start("expire", key: "expire", after: .seconds(900)) }
        Action("pay", example: Charge(card: "4242", cents: 700)) { payment, charge, context in
            guard payment.state == "open" else { throw Refusal.disabled("The payment is not open.") }
            payment.state = "paying"
            context.effects.start("charge", charge)
            context.effects.cancel("expire")
        }.refusing(.disabled, "The payment is not open.")
        Effect("charge", charge, then: { $0.paid($1, $2) }, orElse: { payment, error, _ in payment.state = "declined" })
            .attempts(5, timeout: .seconds(20))
        Effect("expire") { $0.state = "expired" }
    }

    static func charge(_ charge: Charge, _ attempt: Attempt) async throws -> String {
        try await attempt.services.charge(charge.card, charge.cents, id: attempt.id)
    }

    mutating func paid(_ receipt: String, _ context: Context) {
        state = "paid"
        context.effects.act(on: "desks/main", "add", receipt)
    }

    typealias Services = Bank
}

/// Where receipts are kept.
private struct Receipts: ViewModel {
    var all: [String] = []

    static let interface = Interface<Receipts>("receipts") {
        Output("all", \.all)
        Action("add", example: "r1") { receipts, receipt in receipts.all.append(receipt) }
    }
}

@Test("a payment is made once, and expires")
func payment() async throws {
    let viewModels: [Declaration] = [
        .hosting(Payment.self, with: Bank()), .hosting(Receipts.self, at: "desks", keys: .listed("main")),
    ]
    #expect(await viewModels.violations() == [])
    try await withServer(viewModels: viewModels) { server in
        let payment = try await server.session().viewModel(Payment.self)
        try await payment.begin()
        try await payment.pay(Payment.Charge(card: "4242", cents: 700))
        for await state in payment.state.values where state == "paid" { break }
        let desk = try await server.session().viewModel(Receipts.self, at: "desks/main")
        for await receipts in desk.all.values where receipts == ["r1"] { break }
        let late = try await server.session().viewModel(Payment.self)
        try await late.begin()
        server.clock.advance(by: .seconds(900))
        for await state in late.state.values where state == "expired" { break }
        #expect(payment.state.value == "paid")
    }
}

@Test("a table is held for a quarter of an hour")
func reservation() async throws {
    try await withServer(viewModels: [.hosting(Reservation.self)]) { server in
        let reservation = try await server.session().viewModel(Reservation.self)
        try await reservation.hold()
        #expect(reservation.isHeld.value)
        server.clock.advance(by: .seconds(901))
        for await isHeld in reservation.isHeld.values where !isHeld { break }
    }
}
