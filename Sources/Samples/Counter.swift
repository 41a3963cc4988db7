import ViewModels

/// Counts up and down, never below zero.
public struct Counter: ViewModel {
    /// The count.
    public var count = 0

    /// Begins at zero.
    public init() {}

    /// The count in decimal digits.
    public var text: String { "\(count)" }
    /// Whether the down button can be pressed.
    public var enabled: Bool { count > 0 }
    /// The opacity of the down button.
    public var alpha: Double { enabled ? 1 : 0.5 }

    /// Adds one.
    public mutating func increment() throws {
        guard count < .max else { throw Refusal.disabled("The counter cannot count any higher.") }
        count += 1
    }

    /// Takes one away.
    public mutating func decrement() throws {
        guard enabled else { throw Refusal.disabled("The counter is at zero; increment it first.") }
        count -= 1
    }

    /// The counter's outputs and actions.
    public static let interface = Interface<Counter>("counter", "Counts up and down, never below zero.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button, 0.5 when it is disabled.")
        Action("increment", "Adds one.") { try $0.increment() }
            .refusing(.disabled, "The count has its largest value.")
        Action("decrement", "Takes one away.") { try $0.decrement() }
            .refusing(.disabled, "The count is zero.")
    }
}
