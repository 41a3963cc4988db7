import BinderyKit

/// Counts up and down, never below zero.
final class Counter: ViewModel {
    struct Model: StoredModel {
        var count = 0
    }

    static let interface = Interface<Counter>("counter", "Counts up and down.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("canGoDown", \.canGoDown, "Whether there is anything to take away.")
        Action("increment", "Adds one.", Counter.increment)
        Action("decrement", "Takes one away.", Counter.decrement)
            .refusing(.disabled, "The counter is at zero.")
    }

    // Inputs
    func increment() { model.count += 1 }
    func decrement() throws {
        guard canGoDown else { throw ActionRefusal.disabled("The counter is at zero.") }
        model.count -= 1
    }

    // Outputs
    var text: String { String(model.count) }
    var canGoDown: Bool { model.count > 0 }

    // Wiring
    private(set) var model: Model
    init(model: Model) { self.model = model }
}
