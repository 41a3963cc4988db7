import BinderyKit

/// Customers take numbers; whoever serves calls them, one by one.
final class TicketMachine: ViewModel {
    /// All that is stored; the view model is made anew from it after a restart.
    struct Model: StoredModel {
        var taken = 0
        var called = 0
    }

    static let interface = Interface<TicketMachine>("tickets", "Customers take numbers and are called.") {
        Output("display", \.display, "Whose turn it is.")
        Output("waiting", \.waiting, "How many wait.")
        Output("canCall", \.canCall, "Whether there is anybody to call.")
        Action("take", "Takes the next number.", TicketMachine.take)
        Action("call", "Calls the next number.", TicketMachine.call)
            .refusing(.disabled, "Nobody waits.")
        Facet("board", "For the board on the wall.", showing: "display")
    }

    // Inputs

    func take() { model.taken += 1 }

    func call() throws {
        guard canCall else { throw ActionRefusal.disabled("Nobody waits; take a number first.") }
        model.called += 1
    }

    // Outputs

    var display: String { model.called == 0 ? "Welcome" : "Number \(model.called), please" }
    var waiting: Int { model.taken - model.called }
    var canCall: Bool { waiting > 0 }

    // Wiring

    private(set) var model: Model
    init(model: Model) { self.model = model }
}
