import Binding
import Locking
import ViewModels

/// A view model that changes without any action, whenever a test says so.
final class TickerViewModel: ViewModel {
    struct Model: StoredModel { var ticks = 0 }

    static let interface = Interface<TickerViewModel>("ticker") {
        Output("ticks", \.ticks)
        Action("touch", TickerViewModel.tick)
        Action("refuse", TickerViewModel.refuse)
    }

    func tick() {
        model.ticks += 1
        shown.value = model.ticks
    }

    func refuse() throws {
        tick()
        throw ActionRefusal.disabled("Never.")
    }

    let ticks: Constant<Int>
    private(set) var model: Model
    private let shown: Variable<Int>

    init(model: Model, context: ViewModelContext, springs: Springs) {
        self.model = model
        shown = Variable(model.ticks)
        ticks = Constant(shown)
        springs.add(context.changes(of: self))
    }
}

/// What drives the tickers that were made, one each, the latest last.
final class Springs: Sendable {
    private let changes = Lock<[Changes<TickerViewModel>]>([])

    /// How many tickers were made.
    var count: Int { changes.withLock { $0.count } }

    /// Forgets those that were made, as for the marks of what untouched ones show.
    func forget() { changes.withLock { $0 = [] } }

    func add(_ change: Changes<TickerViewModel>) { changes.withLock { $0.append(change) } }

    /// Lets a ticker tick by itself.
    ///
    /// - Parameter index: which one; nil for the latest.
    func tick(_ index: Int? = nil) async throws {
        let change = changes.withLock { $0[index ?? $0.count - 1] }
        try await change { $0.tick() }
    }
}

extension Catalogue {
    /// The ticker, and nothing else.
    static func ticking(_ springs: Springs) -> Catalogue {
        Catalogue([
            Declaration(TickerViewModel.self) { model, context in
                TickerViewModel(model: model, context: context, springs: springs)
            }
        ])
    }
}
