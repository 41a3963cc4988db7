import TestSupport
import ViewModels

/// Comes to a barrier wherever it is told to, and goes no further while that is closed.
final class Stuck: ViewModel {
    typealias Model = Count

    /// What does not return.
    enum Place: CaseIterable {
        case making, showing, action, asynchronous, change
    }

    static let interface = Interface<Stuck>("stuck") {
        Output("count", \.count)
        Action("run", Stuck.run)
        Action("wait", Stuck.wait)
    }

    func run() {
        model.count += 1
        pass(.action)
    }

    func wait() async { pass(.asynchronous) }

    var count: Int {
        if model.count > 0 { pass(.showing) }
        return model.count
    }

    private func pass(_ place: Place) { if place == self.place { barrier.pass() } }

    private(set) var model: Model
    private let place: Place
    private let barrier: Barrier

    init(model: Model, context: ViewModelContext, stuckIn place: Place, at barrier: Barrier) {
        (self.model, self.place, self.barrier) = (model, place, barrier)
        if model.count > 0 { pass(.making) }
        guard place == .change else { return }
        Task { [changes = context.changes(of: self)] in try await changes { $0.pass(.change) } }
    }
}

/// Waits in an action for a change of its own, which waits for the action.
final class Knotted: ViewModel {
    typealias Model = Count

    static let interface = Interface<Knotted>("knotted") {
        Output("count", \.count)
        Action("run", Knotted.run)
    }

    func run() async throws {
        let changes = context.changes(of: self)
        try await changes { $0.model.count += 1 }
    }

    var count: Int { model.count }
    private(set) var model: Model
    private let context: ViewModelContext
    init(model: Model, context: ViewModelContext) { (self.model, self.context) = (model, context) }
}

/// Shows what is not in its model, and refuses without a change.
final class Lossy: ViewModel {
    typealias Model = Count

    static let interface = Interface<Lossy>("lossy") {
        Output("shown", \.shown)
        Action("show", Lossy.show)
        Action("refuse", Lossy.refuse).refusing(.disabled, "Always.")
    }

    func show() { shown = true }
    func refuse() throws { throw ActionRefusal.disabled("Never.") }
    private(set) var shown = false
    let model: Model
    init(model: Model) { self.model = model }
}
