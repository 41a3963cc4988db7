import Binding
import Testing
import ViewModels

@Suite("Interface and Declaration")
struct InterfaceTests {
    @Test("outputs, actions and facets keep the order in which they are written")
    func order() {
        let declaration = Fixture.declaration
        #expect(declaration.name.rawValue == "fixture")
        #expect(declaration.outputs.map(\.name.rawValue) == ["zulu", "alfa"])
        #expect(declaration.actions.map(\.name.rawValue) == ["order", "poke"])
        #expect(declaration.facets.map(\.name.rawValue) == ["card", "badge"])
    }

    @Test("a facet shows its outputs in its own order")
    func facets() { #expect(Fixture.declaration.facets.map(\.outputs) == [[1, 0], [0]]) }

    @Test("the summaries are kept, and empty where none is given")
    func summaries() {
        #expect(Fixture.declaration.summary == "One of everything.")
        #expect(Fixture.declaration.outputs.map(\.summary) == ["Last in the alphabet, first here.", ""])
        #expect(Fixture.declaration.facets.map(\.summary) == ["Shows less, the other way round.", ""])
    }

    @Test("an action with a body has its shape and its example, one without has none")
    func inputs() throws {
        #expect(Fixture.declaration.actions.map { $0.input == nil } == [false, true])
        let example = try #require(Fixture.declaration.actions.first?.input?.example)
        #expect(String(decoding: example, as: UTF8.self) == #"{"count":1,"id":"a"}"#)
    }

    @Test("a stored model that is no model of the type is an error, not a crash")
    func foreignModel() {
        #expect(throws: ModelUnreadable.self) {
            try Fixture.declaration.make(in: ViewModelContext(), from: Array(#"{"number":"x"}"#.utf8))
        }
    }

    private static let rule = "a name is 1 to 64 of a-z, A-Z, 0-9 and -, a letter first"

    @Test("a malformed name is a fault that says of what it is, and which one of them")
    func malformedName() {
        let rule = Self.rule
        let interface = Interface<Fixture>("no name") { Output("zulu", \.zulu) }
        #expect(interface.fault == "has \"no name\" for its name: \(rule)")
        let output = Interface<Fixture>("named") { Output("2nd", \.zulu) }
        #expect(output.fault == "has \"2nd\" for the name of output 1 of 1: \(rule)")
        let action = Interface<Fixture>("named") {
            Output("zulu", \.zulu)
            Action("poke", Fixture.poke)
            Action("", Fixture.poke)
        }
        #expect(action.fault == "has \"\" for the name of action 2 of 2, behind poke: \(rule)")
        let facet = Interface<Fixture>("named") {
            Output("zulu", \.zulu)
            Facet("a b", showing: "zulu")
        }
        #expect(facet.fault == "has \"a b\" for the name of facet 1 of 1: \(rule)")
        let shown = Interface<Fixture>("named") {
            Output("zulu", \.zulu)
            Facet("card", showing: "")
        }
        #expect(shown.fault == "declares a facet card of \"\", which is no output of it")
    }

    private final class Nameless: ViewModel {
        struct Model: StoredModel {}
        static let interface = Interface<Nameless>("") { Output("zulu", \.zulu) }
        var zulu: Int { 1 }
        let model = Model()
        init(model: Model) {}
    }

    @Test("a view model without a name is told by its type, each of several once")
    func nameless() {
        let nameless = Declaration.hosting(Nameless.init(model:))
        let fault = "ViewModelsTests.InterfaceTests.Nameless: has \"\" for its name: \(Self.rule)"
        #expect(Catalogue([nameless, nameless]).faults.map(\.description) == [fault, fault])
    }

    @Test("a view model that shows nothing is at fault")
    func noOutput() {
        let interface = Interface<Fixture>("mute") { Action("poke", Fixture.poke) }
        #expect(interface.fault == "declares no output: there would be nothing to show")
    }

    @Test("a doubled output is a fault that names it")
    func doubledOutput() {
        let interface = Interface<Fixture>("twice") {
            Output("zulu", \.zulu)
            Output("zulu", \.alfa)
        }
        #expect(interface.fault == "declares the output zulu twice")
    }

    @Test("names that differ in case alone are a fault: of outputs, and of actions and facets")
    func alike() {
        let outputs = Interface<Fixture>("outputs") {
            Output("zulu", \.zulu)
            Output("Zulu", \.alfa)
        }
        #expect(
            outputs.fault
                == "declares the outputs zulu and Zulu, which differ in case alone; give one another name")
        let paths = Interface<Fixture>("paths") {
            Output("zulu", \.zulu)
            Action("Card", Fixture.poke)
            Facet("card", showing: "zulu")
        }
        #expect(
            paths.fault
                == "declares the actions or facets Card and card, which differ in case alone; give one another name")
    }

    @Test("an action and a facet of one name, which would share a path, are a fault")
    func sharedPath() {
        let interface = Interface<Fixture>("clash") {
            Output("zulu", \.zulu)
            Action("card", Fixture.poke)
            Facet("card", showing: "zulu")
        }
        #expect(interface.fault == "declares two actions or facets called card, which would share a path")
    }

    private final class Board: ViewModel {
        struct Model: StoredModel {}
        static let interface = Interface<Board>("Board") { Output("zulu", \.zulu) }
        var zulu: Int { 1 }
        let model = Model()
        init(model: Model) {}
    }

    private final class SmallBoard: ViewModel {
        struct Model: StoredModel {}
        static let interface = Interface<SmallBoard>("board") { Output("zulu", \.zulu) }
        var zulu: Int { 1 }
        let model = Model()
        init(model: Model) {}
    }

    @Test("two view models of one list whose names differ in case alone are a fault of the second")
    func alikeInList() {
        let catalogue = Catalogue([.hosting(Board.init(model:)), .hosting(SmallBoard.init(model:))])
        #expect(
            catalogue.faults.map(\.description) == [
                "board: its name differs from Board in case alone; give it another"
            ])
    }

    @Test("one type of two refusals, or a refusal without a title, is a fault")
    func refusals() {
        func fault(_ first: ActionRefusal.Kind, _ second: ActionRefusal.Kind) -> String? {
            let interface = Interface<Fixture>("refusing") {
                Output("zulu", \.zulu)
                Action("poke", Fixture.poke).refusing(first, "Always.")
                Action("prod", Fixture.poke).refusing(second, "Never.")
            }
            return interface.fault
        }
        let sold = ActionRefusal.Kind.custom(type: "sold-out", status: 410, title: "Sold out")
        #expect(fault(sold, sold) == nil)
        #expect(
            fault(sold, .custom(type: "Sold-Out", status: 410, title: "Sold out"))
                == "declares the refusal \"Sold-Out\" of prod, which differs from \"sold-out\" in case alone; make it one kind"
        )
        #expect(
            fault(sold, .custom(type: "Not-Found", status: 410, title: "Gone"))
                == "declares the refusal \"Not-Found\" of prod, which has the type of a problem of the server's own; give it another"
        )
        #expect(
            fault(sold, .custom(type: "sold-out", status: 409, title: "Sold out"))
                == "declares the refusal \"sold-out\" of prod with another status or title than before; make it one kind"
        )
        #expect(
            fault(sold, .custom(type: "gone", status: 410, title: " "))
                == "declares the refusal \"gone\" of prod, which has no title: say what it is in a few words")
    }

    @Test("a refusal that does not say when it is one is a fault")
    func unexplained() {
        let interface = Interface<Fixture>("refusing") {
            Output("zulu", \.zulu)
            Action("poke", Fixture.poke).refusing(.disabled, " ")
        }
        #expect(
            interface.fault
                == "declares the refusal \"action-disabled\" of poke without a summary; say in one sentence when it is")
    }

    @Test("one refusal declared twice of an action is a fault, and one without words says its title")
    func refusedTwice() {
        let interface = Interface<Fixture>("refusing") {
            Output("zulu", \.zulu)
            Action("poke", Fixture.poke).refusing(.disabled, "At night.").refusing(.disabled, "On Sundays.")
        }
        #expect(
            interface.fault
                == "declares the refusal \"action-disabled\" of poke twice; say both in one sentence")
        #expect(ActionRefusal.disabled(" ").detail == "The action is disabled")
        #expect(ActionRefusal.disabled("").detail == "The action is disabled")
    }

    @Test("a facet of an output that is not there is a fault")
    func facetOfNothing() {
        let interface = Interface<Fixture>("hollow") {
            Output("zulu", \.zulu)
            Facet("card", showing: "alfa")
        }
        #expect(interface.fault == "declares a facet card of \"alfa\", which is no output of it")
    }

    @Test("a facet that shows an output twice, or none at all, is a fault")
    func facetOfOneTwice() {
        let double = Interface<Fixture>("double") {
            Output("zulu", \.zulu)
            Output("alfa", \.alfa)
            Facet("card", showing: "zulu", "alfa", "zulu")
        }
        #expect(double.fault == "declares a facet card that shows zulu twice")
        let blank = Interface<Fixture>("blank") {
            Output("zulu", \.zulu)
            Facet("card", "A text that was meant to be an output.")
        }
        #expect(blank.fault == "declares a facet card of no output: there would be nothing to show")
    }

    /// Its example is an object that JSON cannot say.
    private final class Endless: ViewModel {
        struct Model: StoredModel { var count = 0 }
        struct Span: Codable, Sendable {
            var days = 1
            var end: [Double]
        }

        static let interface = Interface<Endless>("endless") {
            Output("count", \.count)
            Action("extend", example: { _ in Span(end: [1, .infinity]) }, Endless.extend)
        }

        func extend(_ span: Span) {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("an example that cannot be encoded is a fault that says of which action, where and why")
    func example() throws {
        let fault = try #require(Declaration.hosting(Endless.init(model:)).faults.first?.description)
        #expect(fault.hasPrefix("endless: the example of extend cannot be encoded: its member end/1: "), "\(fault)")
        #expect(fault.contains("inf"), "\(fault)")
    }

    /// Its bodies are written otherwise than they are read.
    private final class Crooked: ViewModel {
        struct Model: StoredModel { var count = 0 }
        struct Entry: Codable, Sendable {
            var title = "a"
            var note: String?
            enum CodingKeys: CodingKey { case title, note }
            enum WrittenKeys: CodingKey { case title, remark }
            init(title: String) { self.title = title }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: WrittenKeys.self)
                if title == "number" {
                    try container.encode(7, forKey: .title)
                } else {
                    try container.encode(title, forKey: .title)
                }
                if title == "remark" { try container.encode("b", forKey: .remark) }
            }
        }

        static let interface = Interface<Crooked>("crooked") {
            Output("count", \.count)
            Action("add", example: Entry(title: "a"), Crooked.take)
            Action("set", example: Entry(title: "number"), Crooked.take)
            Action("name", example: Entry(title: "remark"), Crooked.take)
        }

        func take(_ entry: Entry) {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    /// Its bodies have not the shape that their type says.
    private final class Untrue: ViewModel {
        struct Model: StoredModel { var count = 0 }
        struct Level: Codable, Sendable, SchemaDescribing {
            var value: Int
            var note: String?
            static let jsonSchema = JSONSchema.object([JSONSchema.Member("value", .integer(0...5))])
        }

        static let interface = Interface<Untrue>("untrue") {
            Output("count", \.count)
            Action("keep", example: Level(value: 5), Untrue.take)
            Action("set", example: Level(value: 7), Untrue.take)
            Action("say", example: Level(value: 5, note: "unsaid"), Untrue.take)
        }

        func take(_ level: Level) {}
        var count: Int { model.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("an example that has not the shape that its type says is a fault that says where and what should be there")
    func untrue() {
        #expect(
            Declaration.hosting(Untrue.init(model:)).faults.map(\.description) == [
                "untrue: the example of set is refused as a body, at #/value: The member that the pointer names must be a whole number from 0 to 5",
                "untrue: the example of say is refused as a body, at #/note: The member that the pointer names is unknown; "
                    + "known members: \"value\"",
            ])
    }

    @Test("an example that its action would refuse as a body is a fault that says where and why")
    func crooked() {
        #expect(
            Declaration.hosting(Crooked.init(model:)).faults.map(\.description) == [
                "crooked: the example of set is refused as a body, at #/title: The member that the pointer names must be a string",
                "crooked: the example of name is refused as a body, at #/remark: The member that the pointer names is unknown; "
                    + "known members: \"title\", \"note\"",
            ])
    }
}
