import Binding
import Foundation
import Locking
import Samples
import ViewModels

/// A view model that does everything an action can do wrong.
final class NastyViewModel: ViewModel {
    struct Model: StoredModel {
        var number = 0
        var secret = 0
    }

    static let interface = Interface<NastyViewModel>("nasty") {
        Output("number", \.number)
        Output("label", \.label)
        Output("ratio", \.ratio)
        Output("alias", \.alias)
        Facet("card", showing: "label")
        Action("change-then-refuse", NastyViewModel.changeThenRefuse)
        Action("change-then-fail", NastyViewModel.changeThenFail)
        Action("change-two", NastyViewModel.changeTwo)
        Action("change-model", NastyViewModel.changeModel)
        Action("show-nan", NastyViewModel.showNaN)
        Action("nothing", NastyViewModel.nothing)
        Action("post-equal", NastyViewModel.postEqual)
        Action("there-and-back", NastyViewModel.thereAndBack)
        Action("label", NastyViewModel.changeLabel)
        Action("equal-then-refuse", NastyViewModel.equalThenRefuse)
        Action("show-then-refuse", NastyViewModel.showThenRefuse)
    }

    struct Failure: Error {}

    func changeThenRefuse() throws {
        changeTwo()
        throw ActionRefusal.disabled("Changed my mind.")
    }

    func changeThenFail() throws {
        changeTwo()
        throw Failure()
    }

    func changeTwo() {
        model.number += 1
        shownNumber.value = model.number
        shownLabel.value = "no. \(model.number)"
    }

    func changeModel() { model.secret += 1 }

    func showNaN() {
        changeTwo()
        shownRatio.value = .nan
    }

    /// Sets what is shown to what it is.
    func equalThenRefuse() throws {
        postEqual()
        throw ActionRefusal.disabled("As it is.")
    }

    /// Changes what is shown alone.
    func showThenRefuse() throws {
        shownLabel.value = "leaked"
        throw ActionRefusal.disabled("Not shown.")
    }

    func nothing() {}
    func postEqual() { shownLabel.value = shownLabel.value }

    func thereAndBack() {
        shownNumber.value = -1
        shownNumber.value = model.number
    }

    func changeLabel() { shownLabel.value += "!" }

    let number: Constant<Int>
    let label: Constant<String>
    let ratio: Constant<Double>
    /// The number once more, under another name.
    let alias: Constant<Int>

    private(set) var model: Model
    private let shownNumber: Variable<Int>
    private let shownLabel: Variable<String>
    private let shownRatio = Variable(0.5)

    init(model: Model = Model()) {
        self.model = model
        shownNumber = Variable(model.number)
        shownLabel = Variable("no. \(model.number)")
        number = Constant(shownNumber)
        label = Constant(shownLabel)
        ratio = Constant(shownRatio)
        alias = Constant(shownNumber)
    }
}

/// How many view models were made, by name.
final class Census: Sendable {
    private let counts = Lock<[String: Int]>([:])

    subscript(name: String) -> Int { counts.withLock { $0[name, default: 0] } }

    func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// Forgets those that were made, as for the marks of what untouched ones show.
    func forget() { counts.withLock { $0 = [:] } }
}

extension Catalogue {
    /// The counter, the login and the nasty one, counted as they are made.
    static func testing(_ census: Census = Census()) -> Catalogue {
        Catalogue(
            [
                Declaration(CounterViewModel.self) { model, _ in
                    census.count("counter")
                    return CounterViewModel(model: model)
                },
                Declaration(LoginViewModel.self) { model, context in
                    census.count("login")
                    return LoginViewModel(model: model, language: context.language)
                },
                Declaration(NastyViewModel.self) { model, _ in
                    census.count("nasty")
                    return NastyViewModel(model: model)
                },
            ], languages: Languages(.japanese, .english))
    }
}
