import ViewModels

/// Shows a number that JSON has not, and an object that is written otherwise than it is read.
final class Misshapen: ViewModel {
    typealias Model = Count

    struct Card: Codable, Sendable {
        var title = ""
        enum CodingKeys: CodingKey { case title }
        init() {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(7, forKey: .title)
        }
    }

    static let interface = Interface<Misshapen>("misshapen") {
        Output("ratio", \.ratio)
        Output("card", \.card)
        Action("halve", Misshapen.halve)
    }

    func halve() { model.count += 1 }
    var ratio: Double { model.count == 0 ? 1 : .infinity }
    var card: Card { Card() }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Its example has not the shape that it reads, and a refusal the server's own name.
final class Misled: ViewModel {
    typealias Model = Count

    static let interface = Interface<Misled>("misled") {
        Output("count", \.count)
        Action("show", example: Misshapen.Card(), Misled.show)
            .refusing(.custom(type: "draining", status: 410, title: "Empty"), "The water is gone.")
        Action("set", example: Double.nan, Misled.set)
    }

    func show(_ card: Misshapen.Card) {}
    func set(_ number: Double) {}
    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Its facet shows the same twice, and its name is a path of the server's.
final class TwoFaced: ViewModel {
    typealias Model = Count

    static let interface = Interface<TwoFaced>("session") {
        Output("count", \.count)
        Facet("double", showing: "count", "count")
    }

    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Its example is none in later states.
final class Drifting: ViewModel {
    typealias Model = Count

    struct Place: Codable, Sendable {
        var x: Double
    }

    static let interface = Interface<Drifting>("drifting") {
        Output("count", \.count)
        Action("drift", Drifting.drift)
        Action("go", example: { model in Place(x: model.count == 0 ? 1 : .infinity) }, Drifting.go)
    }

    func drift() { model.count += 1 }
    func go(_ place: Place) {}
    var count: Int { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}
