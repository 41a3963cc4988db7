import Foundation
import ViewModels

/// The model of most broken view models.
struct Count: StoredModel {
    var count = 0
}

/// A model with a new name, which says so.
final class Renamed: ViewModel {
    struct Model: StoredModel {
        var count = 0

        static let version = 2
        static func migrate(_ stored: inout StoredObject, from version: Int) { stored.rename("value", to: "count") }
    }

    static let interface = Interface<Renamed>("renamed") { Output("count", \.count) }
    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Keeps what it shows, and what it does next, outside of the model.
final class Forgetful: ViewModel {
    typealias Model = Count

    static let interface = Interface<Forgetful>("forgetful") {
        Output("shown", \.shown)
        Action("show", Forgetful.show)
        Action("count", Forgetful.count)
        Action("double", Forgetful.double)
    }

    func show() { shown = true }
    func count() { model.count &+= step }
    func double() { step = step == 1 ? 2 : 1 }
    private(set) var shown = false
    private var step = 1
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// A model that is stored as another text each time, and is another when it is read back.
final class Moody: ViewModel {
    struct Model: StoredModel {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(UUID())
        }
    }

    static let interface = Interface<Moody>("moody") { Output("text", \.text) }
    let text = "steady"
    let model: Model
    init(model: Model) { self.model = model }
}

/// A model that is written as nothing.
final class Sealed: ViewModel {
    struct Model: StoredModel {
        init() {}
        init(from decoder: any Decoder) throws { throw CancellationError() }
        func encode(to encoder: any Encoder) throws {}
    }

    static let interface = Interface<Sealed>("sealed") { Output("text", \.text) }
    let text = "steady"
    let model: Model
    init(model: Model) { self.model = model }
}

/// A model that is stored and read back until an action makes it what cannot be.
final class Brittle: ViewModel {
    struct Model: StoredModel {
        var ratio = 1.0
        var isClosed = false
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            ratio = try container.decode(Double.self, forKey: .ratio)
            isClosed = try container.decode(Bool.self, forKey: .isClosed)
            if isClosed { throw CancellationError() }
        }
        private enum CodingKeys: CodingKey { case ratio, isClosed }
    }

    static let interface = Interface<Brittle>("brittle") {
        Output("text", \.text)
        Action("close", Brittle.close)
        Action("divide", Brittle.divide)
    }

    func close() { model.isClosed = true }
    func divide() { model.ratio = .infinity }
    let text = "steady"
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Rolls dice: equal models, asked for the same, do not do the same; which a view model may.
final class Dice: ViewModel {
    typealias Model = Count

    static let interface = Interface<Dice>("dice") {
        Output("face", \.face)
        Action("roll", Dice.roll)
    }

    func roll() { model.count = .random(in: 1...1_000_000) }
    var face: Int { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}
