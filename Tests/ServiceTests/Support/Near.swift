import ViewModels

/// View models whose names are near one another, and near the service's own.
enum Near {
    static let viewModels: [Declaration] = [
        .hosting(Named<Board>.init(model:)), .hosting(Named<BoardWall>.init(model:)),
        .hosting(Named<OtherBoard>.init(model:)), .hosting(Named<Dashed>.init(model:)),
        .hosting(Named<Camel>.init(model:)), .hosting(Named<Problem>.init(model:)),
        .hosting(Named<ProblemState>.init(model:)), .hosting(Named<Tag>.init(model:)),
    ]

    protocol Called: Sendable { static var name: String { get } }
    enum Board: Called { static let name = "board" }
    enum BoardWall: Called { static let name = "board-wall" }
    enum OtherBoard: Called { static let name = "Board" }
    enum Dashed: Called { static let name = "a-b" }
    enum Camel: Called { static let name = "aB" }
    enum Problem: Called { static let name = "Problem" }
    enum ProblemState: Called { static let name = "ProblemState" }
    enum Tag: Called { static let name = "service" }

    struct Model: StoredModel { var count = 0 }

    final class Named<Which: Called>: ViewModel {
        static var interface: Interface<Named<Which>> {
            Interface(Which.name) {
                Output("count", \.count)
                Action("add", Named.add)
                Facet("wall", showing: "count")
            }
        }

        func add() { model.count += 1 }
        var count: Int { model.count }
        private(set) var model: Model
        init(model: Model) { self.model = model }
    }
}
