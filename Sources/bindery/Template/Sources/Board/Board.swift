import BinderyKit

/// Serves the view models: each has a file of its own, and a line here.
@main
struct Board: BinderyProgram {
    static let viewModels: [Declaration] = [
        .hosting(ShoppingList.self)
    ]
}
