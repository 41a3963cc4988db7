import Binding
import ViewModels

/// Takes money before it finds that it cannot.
final class Greedy: ViewModel {
    typealias Model = Count

    static let interface = Interface<Greedy>("greedy") {
        Output("count", \.count)
        Action("take", Greedy.take).refusing(.disabled, "It has three.")
    }

    func take() throws {
        model.count += 1
        guard model.count < 3 else { throw ActionRefusal.disabled("Too late.") }
    }

    var count: Int { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Makes a new variable each time it is asked for its output.
final class Mute: ViewModel {
    typealias Model = Count

    static let interface = Interface<Mute>("mute") {
        Output("count", \.count)
        Action("increment", Mute.increment)
    }

    func increment() { model.count += 1 }
    var count: Constant<Int> { Constant(value: model.count) }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Changes from inside as soon as it lives, and tells nobody what it changed.
final class Restless: ViewModel {
    typealias Model = Count

    static let interface = Interface<Restless>("restless") {
        Output("count", \.count)
        Action("rest", Restless.rest)
    }

    func rest() {}
    var count: Constant<Int> { Constant(value: model.count) }
    private(set) var model: Model

    init(model: Model, context: ViewModelContext) {
        self.model = model
        Task { [changes = context.changes(of: self)] in try await changes { $0.model.count += 1 } }
    }
}
