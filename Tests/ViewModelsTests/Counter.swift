import ViewModels

struct Counter: ViewModel {
    var count = 0  // stored properties are what survives

    var text: String { "\(count)" }  // outputs are computed
    var enabled: Bool { count > 0 }
    var alpha: Double { enabled ? 1 : 0.5 }

    mutating func increment() throws {  // actions are mutating functions
        guard count < .max else { throw Refusal.disabled("The counter cannot count any higher.") }
        count += 1
    }
    mutating func decrement() throws {
        guard enabled else { throw Refusal.disabled("The counter is at zero; increment it first.") }
        count -= 1
    }

    static let interface = Interface<Counter>("counter", "Counts up and down, never below zero.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button.")
        Action("increment", "Adds one.") { try $0.increment() }
            .refusing(.disabled, "The count is the largest that there is.")
        Action("decrement", "Takes one away.") { try $0.decrement() }
            .refusing(.disabled, "The count is zero.")
    }
}
