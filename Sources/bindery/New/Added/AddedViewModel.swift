import BinderyKit

/// Counts; to be replaced by what it is for.
final class BoardViewModel: ViewModel {
    /// All that is stored: each member with a default, now and later.
    struct Model: StoredModel {
        var count = 0
    }

    static let interface = Interface<BoardViewModel>("board", "Counts.") {
        Output("count", \.count)
        Action("increment", BoardViewModel.increment)
    }

    // Inputs

    func increment() { model.count += 1 }

    // Outputs

    var count: Int { model.count }

    // Wiring

    private(set) var model: Model
    init(model: Model) { self.model = model }
}
