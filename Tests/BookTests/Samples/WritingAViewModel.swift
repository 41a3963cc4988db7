import BinderyKit
import BinderyTesting
import Foundation
import Testing

struct Price: Codable, MemberSummarizing {
    var amount: Decimal
    var currency: String
    static let memberSummaries = ["currency": "As in ISO 4217."]
}

struct Colour: Codable, Sendable, SchemaDescribing {
    var hex: String
    static let jsonSchema = JSONSchema.string
    static let jsonExample = "\"#ffcc00\""

    init(hex: String) { self.hex = hex }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        hex = try container.decode(String.self)
        guard hex.wholeMatch(of: /#[0-9a-f]{6}/) != nil else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A colour is # and six digits.")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

struct Rename: Codable, Sendable {
    var id: Int
    var title: String
}

final class Board: ViewModel {
    struct Item: Codable, Sendable {
        var id: Int
        var title: String
    }

    struct Model: StoredModel {
        var items = [Item(id: 1, title: "Bread")]
    }

    static let interface = Interface<Board>("board") {
        Output("titles", \.titles)
        Output("price", \.price)
        Action(
            "rename", "Renames an item.",
            example: { model in Rename(id: model.items.last?.id ?? 1, title: "Milk") }, Board.rename
        )
        .refusing(.invalid, "The title is empty.")
        .refusing(.notFound, "There is no such item.")
    }

    func rename(_ rename: Rename) throws {
        guard !rename.title.isEmpty else { throw ActionRefusal.invalid("Type a title.", at: \.title, of: rename) }
        guard let place = model.items.firstIndex(where: { $0.id == rename.id }) else {
            throw ActionRefusal.notFound("The item is gone.")
        }
        model.items[place].title = rename.title
    }

    var titles: [String] { model.items.map(\.title) }
    var price: Price { Price(amount: Decimal(model.items.count), currency: "JPY") }

    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Counts what it hears of the others.
final class Listener: ViewModel {
    struct Model: StoredModel {
        var heard = 0
    }

    static let interface = Interface<Listener>("listener") { Output("heard", \.heard) }

    var model: Model { Model(heard: heard.value) }
    let heard: Variable<Int>
    private var token: (any NSObjectProtocol)?

    init(model: Model, context: ViewModelContext) {
        let heard = Variable(model.heard)
        token = context.center.addObserver(forName: .variableDidChange, object: nil, queue: nil) { notification in
            guard let variable = notification.object as? any ReadableVariable, variable.id != heard.id else { return }
            heard.value += 1
        }
        self.heard = heard
    }
}

/// Takes what not every text is.
final class Painter: ViewModel {
    struct Model: StoredModel {
        var colour = Colour(hex: "#000000")
    }

    static let interface = Interface<Painter>("painter") {
        Output("colour", \.colour)
        Action("paint", example: Colour(hex: "#ffcc00"), Painter.paint)
    }

    func paint(_ colour: Colour) { model.colour = colour }
    var colour: Colour { model.colour }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// Is changed by the clock alone.
final class Stopwatch: ViewModel {
    struct Model: StoredModel {
        var seconds = 0
    }

    static let interface = Interface<Stopwatch>("stopwatch") { Output("seconds", \.seconds) }

    var seconds: Int { model.seconds }
    private(set) var model: Model
    init(model: Model, context: ViewModelContext) { self.model = model }

    static let declaration: Declaration =
        .hosting { Stopwatch(model: $0, context: $1) }
}

/// Posts, for somebody to listen to.
final class Speaker: ViewModel {
    struct Model: StoredModel {
        var words = 0
    }

    static let interface = Interface<Speaker>("speaker") {
        Output("words", \.$words)
        Action("speak", Speaker.speak)
    }

    func speak() { words += 1 }

    var model: Model { Model(words: words) }
    @Posted private(set) var words: Int
    init(model: Model) { words = model.words }
}

@Suite("The article on writing a view model")
struct WritingTests {
    @Test(
        "has view models that keep the contract",
        arguments: [
            Declaration.hosting(Counter.init(model:)), .hosting(Board.init(model:)), .hosting(Painter.init(model:)),
            Stopwatch.declaration,
        ])
    func contract(declaration: Declaration) async {
        #expect(await declaration.violations() == [])
    }

    @Test("has a refusal that points at the member")
    func pointer() async throws {
        try await withServer(viewModels: [.hosting(Board.init(model:))]) { server in
            let board = try await server.session().viewModel(Board.self)
            let problem = await #expect(throws: RemoteProblem.self) {
                try await board.act("rename", Rename(id: 1, title: ""))
            }
            #expect(problem?.pointer == "#/title")
        }
    }

    @Test("has a listener that hears the others, in the same commit")
    func listener() async throws {
        let both: [Declaration] = [
            .hosting(Speaker.init(model:)), .hosting { Listener(model: $0, context: $1) },
        ]
        try await withServer(viewModels: both) { server in
            let session = try await server.session()
            let listener = session.viewModel(Listener.self)
            #expect(try await listener.state().heard == 0)
            try await session.viewModel(Speaker.self).act("speak")
            #expect(try await listener.state().heard == 1)
        }
    }
}
