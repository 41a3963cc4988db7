import BinderyKit

/// Serves the view models: each has its own file, and a line here.
@main
struct Board: BinderyProgram {
    static let viewModels: [Declaration] = [
        .hosting(ShoppingList.self)
    ]
}
