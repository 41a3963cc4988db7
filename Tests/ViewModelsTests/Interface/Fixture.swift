import Binding
import ViewModels

/// A view model with one of everything that can be declared.
final class Fixture: ViewModel {
    struct Model: StoredModel {
        var number = 0
    }

    struct Order: Codable, Sendable {
        var id: String
        var count: Int
        var price: Double?
        var tags: [String]?
        var lines: [Line]?
        var extras: [String: Int]?
        var size: Size?

        struct Line: Codable, Sendable { var sku: String }
        enum Size: String, Codable { case small, large }
    }

    static let interface = Interface<Fixture>("fixture", "One of everything.") {
        Output("zulu", \.zulu, "Last in the alphabet, first here.")
        Action("order", "Takes a body.", example: Order(id: "a", count: 1), Fixture.order)
        Output("alfa", \.alfa)
        Facet("card", "Shows less, the other way round.", showing: "alfa", "zulu")
        Action("poke", "Takes no body.", Fixture.poke)
        Facet("badge", showing: "zulu")
    }

    func order(_ order: Order) { model.number = order.count }
    func poke() { model.number += 1 }

    let zulu: Constant<Int>
    let alfa: Constant<String>
    private(set) var model: Model

    init(model: Model) {
        self.model = model
        zulu = Constant(value: model.number)
        alfa = Constant(value: "a")
    }

    static let declaration = Declaration(Fixture.self) { model, _ in Fixture(model: model) }
}
