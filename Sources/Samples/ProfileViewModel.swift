import Binding
import ViewModels

/// All that a profile's card may see of the profile: the child view binds to this and never to the class.
public protocol ProfileCardOutputs: AnyObject {
    /// The parameter that the card shows.
    var paramB: Constant<String> { get }
}

/// One view model, and a child view that sees a part of it.
public final class ProfileViewModel: ViewModel, ProfileCardOutputs {
    /// Both parameters.
    public struct Model: StoredModel {
        /// The first.
        public var paramA = 0
        /// The second.
        public var paramB = ""
        /// Begins with zero and nothing.
        public init() {}
    }

    /// What to set; what is missing or null stays as it is.
    public struct Values: Codable, Sendable {
        /// The first parameter.
        public var paramA: Int?
        /// The second parameter.
        public var paramB: String?
        /// Takes what is to be set.
        public init(paramA: Int? = nil, paramB: String? = nil) {
            self.paramA = paramA
            self.paramB = paramB
        }
    }

    /// The profile's outputs, action and card.
    public static let interface = Interface<ProfileViewModel>("profile", "Two parameters, of which a card shows one.") {
        Output("paramA", \.paramA, "The first parameter.")
        Output("paramB", \.paramB, "The second parameter.")
        Action(
            "load", "Sets what is given and leaves the rest.", example: Values(paramA: 1, paramB: "one"),
            ProfileViewModel.load)
        Facet("card", "For the card, which must not see the first parameter.", showing: "paramB")
    }

    // Inputs

    /// Sets what is given and leaves the rest.
    public func load(_ values: Values) {
        if let paramA = values.paramA { model.paramA = paramA }
        if let paramB = values.paramB { model.paramB = paramB }
        shownA.update(to: model.paramA)
        shownB.update(to: model.paramB)
    }

    // Outputs

    /// The first parameter.
    public let paramA: Constant<Int>
    /// The second parameter.
    public let paramB: Constant<String>

    // Wiring

    /// Both parameters, to rebuild the profile from.
    public private(set) var model: Model
    private let shownA: Variable<Int>
    private let shownB: Variable<String>

    /// Begins with initial data, by default zero and nothing.
    public init(model: Model = Model()) {
        self.model = model
        shownA = Variable(model.paramA)
        shownB = Variable(model.paramB)
        paramA = shownA.constant
        paramB = shownB.constant
    }
}
