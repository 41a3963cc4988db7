import BinderyKit
import Foundation

/// One order, from the basket to the table.
struct Order: ViewModel {
    enum State: String, Codable, CaseIterable { case open, paying, paid, declined, expired, served }

    struct Charge: Codable, Sendable { var card = "", cents = 0 }

    var state = State.open
    var ticket = Ticket()
    var key = ""

    static let interface = Interface<Order>("order", "One order.") {
        Output("state", \.state, "The state of the order.")
        Output("items", \.ticket.items, "The ordered items.")
        Output("cents", \.ticket.cents, "The price of all items.")
        // No user has this role, and effects need none. So only a basket makes orders and sets their price.
        Action("open", "Makes the order.", example: Ticket(items: ["tea"], cents: 250)) { $0.open($1, $2) }.making()
            .allowing("basket")
        Action("pay", "Pays by card.", example: "4242") { try $0.pay($1, $2) }
            .refusing(.disabled, "The order is paid already, or has expired.")
        Action("serve", "Brings the order to the table.") { try $0.serve($1) }.allowing("staff")
            .refusing(.disabled, "The order is not paid.")
        Effect(
            "charge", charge, then: { $0.come(to: .paid, $2) },
            orElse: { order, _, context in
                order.come(to: .declined, context)
            }
        ).attempts(5, timeout: .seconds(5))
        Effect("expire") { $0.come(to: .expired, $1) }
    }

    /// How long an order waits to be paid.
    static let patience: Duration = {
        .seconds(ProcessInfo.processInfo.environment["ORDER_SECONDS"].flatMap(Double.init) ?? 900)
    }()

    mutating func open(_ ticket: Ticket, _ context: Context) {
        (self.ticket, key) = (ticket, context.key ?? "")
        context.effects.start("expire", key: "expire", after: Self.patience)
        come(to: .open, context)
    }

    mutating func pay(_ card: String, _ context: Context) throws {
        guard state == .open || state == .declined else { throw Refusal.disabled("The order is \(state).") }
        // One commit stores the state and the charge, and cancels the timer.
        context.effects.start("charge", Charge(card: card, cents: ticket.cents))
        context.effects.cancel("expire")
        come(to: .paying, context)
    }

    /// Runs after the commit, with an id that is the same for every attempt.
    static func charge(_ charge: Charge, _ attempt: Attempt) async throws -> String {
        try await attempt.services.charge(charge.card, charge.cents, id: attempt.id, attempt: attempt.number)
    }

    mutating func serve(_ context: Context) throws {
        guard state == .paid else { throw Refusal.disabled("The order is \(state).") }
        come(to: .served, context)
    }

    private mutating func come(to state: State, _ context: Context) {
        self.state = state
        let row = Desk.Row(id: key, state: state, items: ticket.items, cents: ticket.cents)
        context.effects.act(on: "desks/main", "put", row)
    }

    typealias Services = Bank
}

/// A bank that is slow, fails sometimes, and charges once for each id.
struct Bank: Sendable {
    struct Failure: Error {}

    private let log: String
    private let time: Duration

    /// Writes to the file `BANK_LOG`, and takes `BANK_SECONDS` for each charge.
    init() {
        let environment = ProcessInfo.processInfo.environment
        log = environment["BANK_LOG"] ?? "bank.log"
        time = .seconds(environment["BANK_SECONDS"].flatMap(Double.init) ?? 2)
    }

    /// - Returns: the number of the receipt.
    /// - Throws: a `Refusal` for a card that ends in 0; an error at the first attempt for a card that ends in 1.
    func charge(_ card: String, _ cents: Int, id: String, attempt: Int) async throws -> String {
        try write("asked \(id) attempt \(attempt)")
        try await Task.sleep(for: time)
        if card.hasSuffix("0") { throw Refusal.disabled("The bank declines the card.") }
        if card.hasSuffix("1"), attempt == 1 { throw Failure() }
        let charged = "charged \(id) \(cents)"
        if !(try String(contentsOfFile: log, encoding: .utf8).contains(charged)) { try write(charged) }
        return String(id.prefix(8))
    }

    private func write(_ line: String) throws {
        let descriptor = open(log, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data("\(line)\n".utf8))
    }
}
