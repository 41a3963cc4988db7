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

    /// Says that it is smaller than it may be.
    struct Step: Codable, Sendable, SchemaDescribing {
        var size: Int
        static let jsonSchema = JSONSchema.object([JSONSchema.Member("size", .integer(0...0))])
    }

    static let interface = Interface<Drifting>("drifting") {
        Output("count", \.count)
        Action("drift", Drifting.drift)
        Action("go", example: { model in Place(x: model.count == 0 ? 1 : .infinity) }, Drifting.go)
        Action("jump", example: { model in Step(size: model.count) }, Drifting.jump)
    }

    func drift() { model.count += 1 }
    func go(_ place: Place) {}
    func jump(_ step: Step) {}
    var count: Int { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}
