import BinderyKit

/// Customers take numbers, and the staff call them, one by one.
struct TicketMachine: ViewModel {
    // The server stores these properties.
    var taken = 0
    var called = 0

    // Outputs are computed.
    var display: String { called == 0 ? "Welcome" : "Number \(called), please" }
    var waiting: Int { taken - called }
    var canCall: Bool { waiting > 0 }

    // Actions are mutating functions.
    mutating func take() { taken += 1 }

    mutating func call() throws {
        guard canCall else { throw Refusal.disabled("Nobody waits; take a number first.") }
        called += 1
    }

    static let interface = Interface<TicketMachine>("tickets", "Customers take numbers and are called.") {
        Output("display", \.display, "The number that is called.")
        Output("waiting", \.waiting, "How many customers wait.")
        Output("canCall", \.canCall, "Whether a customer waits.")
        Action("take", "Takes the next number.") { $0.take() }
        Action("call", "Calls the next number.") { try $0.call() }
            .refusing(.disabled, "Nobody waits.")
        Facet("board", "For the board on the wall.", showing: "display")
    }
}
