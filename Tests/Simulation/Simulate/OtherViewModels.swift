import Binding
import ViewModels

/// Shows something else in each build and in each language, mostly untouched.
final class LabelViewModel<B: Build>: ViewModel {
    struct Model: StoredModel {
        var count = 0

        static var version: Int { B.number + 1 }
    }

    static var interface: Interface<LabelViewModel<B>> { B.label }

    static var declared: Interface<LabelViewModel<B>> {
        Interface<LabelViewModel<B>>("label") {
            Output("text", \.text)
            Action("bump", LabelViewModel.bump)
        }
    }

    func bump() {
        model.count += 1
        text.value = Self.text(of: model, in: language)
    }

    let text: Variable<String>
    private(set) var model: Model
    private let language: Language

    init(model: Model, language: Language) {
        self.model = model
        self.language = language
        text = Variable(Self.text(of: model, in: language))
    }

    private static func text(of model: Model, in language: Language) -> String {
        "build \(B.number) at \(model.count) in \(language)"
    }
}

/// Changes by itself as time passes.
final class TickerViewModel<B: Build>: ViewModel {
    struct Model: StoredModel {
        var ticks = 0

        static var version: Int { B.number + 1 }
    }

    static var interface: Interface<TickerViewModel<B>> { B.ticker }

    static var declared: Interface<TickerViewModel<B>> {
        Interface<TickerViewModel<B>>("ticker") { Output("ticks", \.ticks) }
    }

    let ticks: Variable<Int>
    private(set) var model: Model
    private var ticking: Task<Void, any Error>?

    init(model: Model, context: ViewModelContext, replica: Replica?) {
        self.model = model
        ticks = Variable(model.ticks)
        let changes = context.changes(of: self)
        guard let replica else { return }
        let interval = replica.world.plan.tick
        ticking = Task { [timeline = replica.timeline] in
            while true {
                try await timeline.sleep(for: interval)
                try await changes { $0.tick() }
            }
        }
    }

    deinit { ticking?.cancel() }

    private func tick() {
        model.ticks += 1
        ticks.value = model.ticks
    }
}

/// Is not there in the first build.
final class BonusViewModel<B: Build>: ViewModel {
    struct Model: StoredModel {
        var isTaken = false

        static var version: Int { B.number + 1 }
    }

    static var interface: Interface<BonusViewModel<B>> { B.bonus }

    static var declared: Interface<BonusViewModel<B>> {
        Interface<BonusViewModel<B>>("bonus") {
            Output("isTaken", \.isTaken)
            Action("take", BonusViewModel.take)
        }
    }

    func take() {
        model.isTaken.toggle()
        isTaken.value = model.isTaken
    }

    let isTaken: Variable<Bool>
    private(set) var model: Model

    init(model: Model) {
        self.model = model
        isTaken = Variable(model.isTaken)
    }
}
