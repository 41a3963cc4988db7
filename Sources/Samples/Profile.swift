import Binding
import ViewModels

/// The outputs that a profile's card may see.
///
/// The child view uses only this protocol, not the class.
protocol ProfileCard: AnyObject {
    var paramB: Constant<String> { get }
}

/// A view model with a child view that sees a part of it.
final class Profile: ObjectViewModel, ProfileCard {
    struct Model: StoredModel {
        var paramA = 0
        var paramB = ""
    }

    /// The input; a missing or null member does not change its parameter.
    struct Values: Codable, Sendable {
        var paramA: Int?
        var paramB: String?
    }

    static let interface = Interface<Profile>("profile", "Two parameters; a card shows one of them.") {
        Output("paramA", \.paramA, "The first parameter.")
        Output("paramB", \.paramB, "The second parameter.")
        Action("load", "Sets the given parameters and keeps the rest.", example: Values(paramA: 1, paramB: "one")) {
            $0.load($1)
        }
        Facet("card", "For the card, which must not see the first parameter.", showing: "paramB")
    }

    // Inputs

    func load(_ values: Values) {
        if let paramA = values.paramA { shownA.update(to: paramA) }
        // Not `update(to:)`: it ignores a different encoding of é, because Swift calls both texts equal.
        if let paramB = values.paramB { shownB.value = paramB }
    }

    // Outputs

    var paramA: Constant<Int> { shownA.constant }
    var paramB: Constant<String> { shownB.constant }

    // Wiring

    private let shownA: Variable<Int>
    private let shownB: Variable<String>

    init(model: Model, context: Context) {
        shownA = Variable(model.paramA)
        shownB = Variable(model.paramB)
    }

    var model: Model { Model(paramA: paramA.value, paramB: paramB.value) }
}
