import Binding
import ViewModels

/// Counts up and down, never below zero.
public final class CounterViewModel: ViewModel {
    /// The count.
    public struct Model: StoredModel {
        /// How far it has counted; never negative.
        public var count = 0
        /// Begins at zero.
        public init() {}
        /// Begins at a count, not a negative one.
        public init(count: Int) { self.count = count }
    }

    /// The counter's outputs and actions.
    public static let interface = Interface<CounterViewModel>("counter", "Counts up and down, never below zero.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button, 0.5 when it is disabled.")
        Action("increment", "Adds one.", CounterViewModel.increment)
            .refusing(.disabled, "The count is the largest that there is.")
        Action("decrement", "Takes one away.", CounterViewModel.decrement)
            .refusing(.disabled, "The count is zero.")
    }

    // Inputs

    /// Adds one.
    ///
    /// - Throws: ``ActionRefusal`` at the largest `Int`.
    public func increment() throws {
        guard model.count < .max else { throw ActionRefusal.disabled("The counter cannot count any higher.") }
        count(to: model.count + 1)
    }

    /// Takes one away.
    ///
    /// - Throws: ``ActionRefusal`` at zero.
    public func decrement() throws {
        guard model.count > 0 else { throw ActionRefusal.disabled("The counter is at zero; increment it first.") }
        count(to: model.count - 1)
    }

    // Outputs

    /// The count in decimal digits.
    public let text: Constant<String>
    /// Whether the down button can be pressed.
    public let enabled: Constant<Bool>
    /// The opacity of the down button.
    public let alpha: Constant<Double>

    // Wiring

    /// The count, to rebuild the counter from.
    public private(set) var model: Model
    private let shownText: Variable<String>
    private let shownEnabled: Variable<Bool>
    private let shownAlpha: Variable<Double>

    /// Begins at a count, by default zero.
    public init(model: Model = Model()) {
        self.model = model
        shownText = Variable(Self.text(of: model))
        shownEnabled = Variable(Self.canGoDown(from: model))
        shownAlpha = Variable(Self.alpha(of: model))
        text = Constant(shownText)
        enabled = Constant(shownEnabled)
        alpha = Constant(shownAlpha)
    }

    private func count(to count: Int) {
        model.count = count
        shownText.update(to: Self.text(of: model))
        shownEnabled.update(to: Self.canGoDown(from: model))
        shownAlpha.update(to: Self.alpha(of: model))
    }

    private static func text(of model: Model) -> String { String(model.count) }
    private static func canGoDown(from model: Model) -> Bool { model.count > 0 }
    private static func alpha(of model: Model) -> Double { canGoDown(from: model) ? 1 : 0.5 }
}
