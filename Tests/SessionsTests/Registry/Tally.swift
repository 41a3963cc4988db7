import Samples
import Sessions
import ViewModels

/// What a build makes of the tally.
protocol TallyBuild: SendableMetatype {
    static var interface: Interface<Tally<Self>> { get }
}

/// A view model whose outputs and facets are its build's.
final class Tally<Form: TallyBuild>: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static var interface: Interface<Tally<Form>> { Form.interface }

    func increment() { model.count += 1 }
    var count: Int { model.count }
    var half: Int { model.count / 2 }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

enum Both: TallyBuild {
    static let interface = Interface<Tally<Both>>("tally") {
        Output("count", \.count)
        Output("half", \.half)
        Facet("part", showing: "count")
        Action("increment", Tally<Both>.increment)
    }
}

/// Without the half.
enum Less: TallyBuild {
    static let interface = Interface<Tally<Less>>("tally") {
        Output("count", \.count)
        Facet("part", showing: "count")
        Action("increment", Tally<Less>.increment)
    }
}

/// With the half in the facet, too.
enum Wide: TallyBuild {
    static let interface = Interface<Tally<Wide>>("tally") {
        Output("count", \.count)
        Output("half", \.half)
        Facet("part", showing: "count", "half")
        Action("increment", Tally<Wide>.increment)
    }
}

extension Catalogue {
    static func tally<Form: TallyBuild>(_ form: Form.Type) -> Catalogue {
        Catalogue([.hosting(Tally<Form>.init(model:)), .hosting(CounterViewModel.init(model:))])
    }
}
