import Foundation
import Testing
import ViewModels

@Suite("Faults of declarations")
struct DeclarationTests {
    struct Bad: ViewModel {
        enum Payload: Codable, Sendable { case a(Int) }
        enum Odd: String, Codable, Sendable, CaseIterable, SchemaDescribing {
            case x
            static var jsonSchema: JSONSchema { .oneOf(["y"]) }
            static var schemaExample: Odd { .x }
        }
        var odd = Odd.x
        static let version = 0
        static let interface = Interface<Bad>("bad name") {
            Output("a", \.odd)
            Output("A") { _ in 1 }
            Output("payload") { _ in Payload.a(1) }
            Action("go") { _ in }.refusing(.custom(type: "ok", status: 200, title: "OK"), "Always.")
            Action("go", example: 1) { _, _ in }
            Facet("changes", showing: "a")
            Facet("odd", showing: "a", "a", "nothing")
            Facet("empty")
        }
    }

    func complaints(
        _ declarations: [Declaration], names: Set<String> = [], problems: Set<String> = []
    ) -> String {
        let fault = #expect(throws: DeclarationFault.self) {
            _ = try Catalogue(declarations, reservedNames: names, reservedProblems: problems)
        }
        return fault?.description ?? ""
    }

    @Test("all faults are told at once, in plain words")
    func all() {
        let all = complaints([.hosting(Bad.self)])
        for words in [
            #"has the name "bad name""#, "has two outputs called A", "two actions or facets called go",
            "a facet changes, which is a path", "that shows a twice", "of an unknown output nothing",
            "a facet empty without outputs",
            "has version 0", #"declares the refusal "ok" of go"#,
            "the output payload: Payload reads the names of its members",
        ] { #expect(all.contains(words), "\(words) is not in:\n\(all)") }
    }

    @Test("initial outputs and examples must fit their schemas")
    func fit() {
        struct Untrue: ViewModel {
            struct Strict: Codable, Sendable {
                var value = 0
                init() {}
                init(from decoder: any Decoder) throws {
                    value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode("\(value)", forKey: .value)
                }
                enum CodingKeys: CodingKey { case value }
            }
            var count = 0
            static let interface = Interface<Untrue>("untrue") {
                Output("count", \.count)
                Action("go", example: Strict()) { _, _ in }
            }
        }
        struct Odd: ViewModel {
            static let interface = Interface<Odd>("odd") { Output("odd") { _ in Bad.Odd.x } }
        }
        let all = complaints([.hosting(Untrue.self), .hosting(Odd.self)])
        #expect(all.contains(#"the output odd does not fit its schema at #: it must be one of "y""#))
        #expect(all.contains("the example of go: its member value does not fit"))
    }

    @Test("a model must be an object that it reads itself")
    func model() {
        struct Text: ViewModel {
            var text = ""
            init() {}
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
            static let interface = Interface<Text>("text") { Output("text", \.text) }
        }
        struct Endless: ViewModel {
            var limit = Double.infinity
            static let interface = Interface<Endless>("endless") { Output("count") { _ in 1 } }
        }
        #expect(complaints([.hosting(Text.self)]).contains("not stored as a JSON object"))
        #expect(
            complaints([.hosting(Endless.self)]).contains(
                "its initial state cannot be used: A number that is not finite"))
    }

    @Test("the list has no two of one name, none of the server's, and is not empty")
    func list() {
        #expect(complaints([]).contains("no view model"))
        #expect(
            complaints([.hosting(Counter.self), .hosting(Counter.self)]).contains("Two view models are called counter.")
        )
        #expect(complaints([.hosting(Profile.self)], names: ["profile"]).contains("has a name of the server"))
        #expect(complaints([.hosting(Tickets.self)], problems: ["sold-out"]).contains("The refusal sold-out"))
    }

    @Test("a catalogue describes what is declared, in order")
    func description() throws {
        let catalogue = try Catalogue([.hosting(Profile.self), .hosting(Tickets.self), .hosting(Counter.self)])
        #expect(catalogue.viewModels.map(\.name) == ["profile", "tickets", "counter"])
        let profile = try #require(catalogue.viewModel("profile"))
        #expect(profile.outputs.map(\.schema) == [.integer(Int128(Int.min)...Int128(Int.max)), .string])
        #expect(profile.facets.map(\.outputs) == [[1]])
        #expect(text(profile.actions[0].example) == #"{"paramA":1,"paramB":"one"}"#)
        let tickets = try #require(catalogue.viewModel("tickets"))
        #expect(tickets.actions[0].refusals.map(\.kind) == [.soldOut, .invalid])
        #expect(tickets.actions[1].input == nil)
        #expect(catalogue.viewModels.map(\.version) == [1, 1, 1])
    }

    @Test("a language is a tag of BCP 47, whatever the case of its letters")
    func language() {
        let tags = ["DE-ch", "de-CH"].map { Language($0)?.rawValue }
        #expect(tags == ["de-ch", "de-ch"])
        for tag in ["", "d1", "de_CH", "de-", "-de", "123", "abcdefghi"] { #expect(Language(tag) == nil) }
    }
}
