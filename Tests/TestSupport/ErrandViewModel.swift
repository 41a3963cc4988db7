import Binding
import ViewModels

/// A view model whose actions do what a test says.
package final class ErrandViewModel: ViewModel {
    package struct Model: StoredModel {
        package var count = 0

        package init() {}
    }

    package static let interface = Interface<ErrandViewModel>("errand") {
        Output("count", \.count)
        Action("run", ErrandViewModel.run)
        Action("wait", ErrandViewModel.wait)
    }

    /// Does the work, and counts it once it is done.
    package func run() throws {
        try work()
        countOne()
    }

    /// The same, with a suspension behind the work.
    package func wait() async throws {
        try work()
        await Task.yield()
        countOne()
    }

    package let count: Constant<Int>

    package private(set) var model: Model
    private let shown: Variable<Int>
    private let work: @Sendable () throws -> Void

    package init(model: Model, work: @escaping @Sendable () throws -> Void) {
        self.model = model
        self.work = work
        shown = Variable(model.count)
        count = Constant(shown)
    }

    private func countOne() {
        model.count += 1
        shown.value = model.count
    }
}

extension Declaration {
    /// The errand, in every session with this work.
    package static func errand(_ work: @escaping @Sendable () throws -> Void) -> Declaration {
        .hosting { ErrandViewModel(model: $0, work: work) }
    }
}
