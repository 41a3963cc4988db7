import Binding
import ViewModels

/// The count of the counters that are classes.
struct Count: StoredModel {
    var count = 0
}

/// The counter as a class: it sets Variables, and views in the same process bind to the Constants.
final class CounterObject: ObjectViewModel {
    static let interface = Interface<CounterObject>("counter-object", "The counter as a class with Variables.") {
        Output("text", \.text, "The count in decimal digits.")
        Output("enabled", \.enabled, "Whether the down button can be pressed.")
        Output("alpha", \.alpha, "The opacity of the down button, 0.5 when it is disabled.")
        Action("increment", "Adds one.") { try $0.increment() }
            .refusing(.disabled, "The count has its largest value.")
        Action("decrement", "Takes one away.") { try $0.decrement() }
            .refusing(.disabled, "The count is zero.")
    }

    // Inputs

    func increment() throws {
        guard model.count < .max else { throw Refusal.disabled("The counter cannot count any higher.") }
        model.count += 1
    }

    func decrement() throws {
        guard model.count > 0 else { throw Refusal.disabled("The counter is at zero; increment it first.") }
        model.count -= 1
    }

    // Outputs

    var text: Constant<String> { shownText.constant }
    var enabled: Constant<Bool> { shownEnabled.constant }
    var alpha: Constant<Double> { shownAlpha.constant }

    // Wiring

    private(set) var model: Count { didSet { show() } }
    private let shownText = Variable("")
    private let shownEnabled = Variable(false)
    private let shownAlpha = Variable(0.5)

    init(model: Count, context: Context) {
        self.model = model
        show()
    }

    private func show() {
        shownText.update(to: "\(model.count)")
        shownEnabled.update(to: model.count > 0)
        shownAlpha.update(to: model.count > 0 ? 1 : 0.5)
    }
}
