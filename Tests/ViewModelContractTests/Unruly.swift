import ViewModels

/// Refuses otherwise than it says.
final class Unruly: ViewModel {
    typealias Model = Count

    struct Trouble: Error {}

    static let interface = Interface<Unruly>("unruly") {
        Output("count", \.count)
        Action("fail", Unruly.fail)
        Action("sell", Unruly.sell).refusing(.disabled, "Another one.")
        Action("brew", Unruly.brew)
        Action("pose", Unruly.pose)
        Action("rename", example: "", Unruly.rename).refusing(.invalid, "The title has no letter.")
    }

    func fail() throws { throw Trouble() }
    func sell() throws { throw ActionRefusal.custom(type: "sold-out", status: 410, title: "Sold out", "Gone.") }
    func brew() throws { throw ActionRefusal.custom(type: "teapot", status: 418, title: "A teapot", "Short.") }
    func pose() throws { throw ActionRefusal.custom(type: "not-found", status: 410, title: "Gone", "Gone.") }
    func rename(_ title: String) throws {
        guard !title.isEmpty else { throw ActionRefusal.invalid("A title has a letter.", at: \.self, of: title) }
    }

    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Declares its refusals, and throws them with another status or title.
final class Shop: ViewModel {
    typealias Model = Count

    static let interface = Interface<Shop>("shop") {
        Output("count", \.count)
        Action("sell", Shop.sell).refusing(.custom(type: "sold-out", status: 409, title: "Sold out"), "It is gone.")
        Action("lend", Shop.lend).refusing(.custom(type: "lent", status: 409, title: "Lent"), "Another has it.")
    }

    func sell() throws { throw ActionRefusal.custom(type: "sold-out", status: 410, title: "Sold out", "Gone.") }
    func lend() throws { throw ActionRefusal.custom(type: "lent", status: 409, title: "Away", "Gone.") }
    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Has a title of its own for the refusal of another.
final class OtherShop: ViewModel {
    typealias Model = Count

    static let interface = Interface<OtherShop>("other-shop") {
        Output("count", \.count)
        Action("lend", OtherShop.lend).refusing(.custom(type: "lent", status: 409, title: "Away"), "Another has it.")
    }

    func lend() {}
    var count: Int { model.count }
    let model: Model
    init(model: Model) { self.model = model }
}
