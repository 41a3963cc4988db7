import Foundation
import Testing

@testable import Samples
@testable import ViewModels

/// Protects hosts from a server that starts with a wrong declaration.
@Suite("Faults of declarations")
struct DeclarationTests {
    enum Payload: Codable, Sendable { case a(Int) }

    enum Odd: String, Codable, Sendable, CaseIterable, SchemaDescribing {
        case x
        static var jsonSchema: JSONSchema { .oneOf(["y"]) }
        static var schemaExample: Odd { .x }
    }

    func complaint(
        _ declarations: [Declaration], names: Set<String> = [], problems: Set<String> = []
    ) -> String {
        let fault = #expect(throws: DeclarationFault.self) {
            _ = try Catalogue(declarations, reservedNames: names, reservedProblems: problems)
        }
        return fault?.description ?? ""
    }

    static let bad: [(Interface<Counter>, String)] = [
        (Interface("bad name") {}, #"has the name "bad name""#),
        (Interface("a") { Output("b\"") { _ in 1 } }, "has the name"),
        (
            Interface("a") {
                Output("b") { _ in 1 }
                Output("B") { _ in 1 }
            }, "has two outputs called B"
        ),
        (
            Interface("a") {
                Output("b") { _ in 1 }
                Action("go") { _ in }
                Facet("go", showing: "b")
            }, "two actions or facets called go"
        ),
        (Interface("a") { Facet("Changes") }, "a facet Changes, which is a path"),
        (
            Interface("a") {
                Output("b") { _ in 1 }
                Facet("c", showing: "b", "b")
            }, "has two outputs in the facet c called b"
        ),
        (Interface("a") { Facet("c") }, "has a facet c that shows nothing"),
        (Interface("a") { Facet("c", showing: "nothing") }, "of an unknown output nothing"),
        (
            Interface("a") { Output("payload") { _ in Payload.a(1) } },
            "the output payload: Payload reads the names of its members"
        ),
    ]

    @Test("a fault is told in plain words", arguments: bad)
    func faults(interface: Interface<Counter>, words: String) {
        let fault = #expect(throws: DeclarationFault.self) {
            try Catalogue([.hosting(interface, with: (), path: nil, keys: nil)])
        }
        #expect(fault?.description.contains(words) == true, "\(words) is not in: \(fault?.description ?? "")")
    }

    @Test(
        "named entities have sound keys, and an action that makes them where no key is listed",
        arguments: [
            (Declaration.hosting(Counter.self, at: "a b", keys: .listed("x")), #"has the name "a b""#),
            (.hosting(Counter.self, at: "a", keys: .listed()), "has keys that are not 1 to 64"),
            (.hosting(Counter.self, at: "a", keys: .listed("x/y")), "has keys that are not 1 to 64"),
            (.hosting(Counter.self, at: "a", keys: .made), "has no action that is declared .making()"),
            (.hosting(Ticket.self), "makes it, but is not hosted with keys: .made"),
            (.hosting(Ticket.self, at: "a", keys: .listed("x")), "makes it, but is not hosted with keys: .made"),
            (.hosting(Reacting.self, at: "a", keys: .listed("x")), "has reactions"),
        ])
    func keys(declaration: Declaration, words: String) {
        let fault = #expect(throws: DeclarationFault.self) { try Catalogue([declaration]) }
        #expect(fault?.description.contains(words) == true, "\(words) is not in: \(fault?.description ?? "")")
    }

    private struct Ticket: ViewModel {
        static let interface = Interface<Ticket>("ticket") { Action("print") { _ in }.making() }
    }

    private struct Reacting: ViewModel {
        static let interface = Interface<Reacting>("reacting") { On(Notification.Name("moved")) { _, _ in } }
    }

    @Test("initial outputs and examples must fit their schemas")
    func fit() {
        struct Strange: ViewModel {
            static let interface = Interface<Strange>("odd") { Output("odd") { _ in Odd.x } }
        }
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
        #expect(complaint([.hosting(Strange.self)]).contains(#"the output odd: The JSON value must be one of "y""#))
        #expect(complaint([.hosting(Untrue.self)]).contains("the body of go: The member that the pointer names must"))
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
        struct Unread: ViewModel {
            var text = ""
            init() {}
            enum CodingKeys: CodingKey { case text, length }
            init(from decoder: any Decoder) throws {
                text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(text, forKey: .text)
                try container.encode(text.count, forKey: .length)
            }
            static let interface = Interface<Unread>("unread") { Output("text", \.text) }
        }
        #expect(complaint([.hosting(Unread.self)]).contains("it writes the member length, and never reads it"))
        struct Endless: ViewModel {
            var limit = Double.infinity
            static let interface = Interface<Endless>("endless") { Output("count") { _ in 1 } }
        }
        #expect(complaint([.hosting(Text.self)]).contains("not stored as a JSON object"))
        #expect(
            complaint([.hosting(Endless.self)]).contains(
                "its initial state: a number that is not finite"))
    }

    @Test("the list has no two of one name, none of the server's, and is not empty")
    func list() {
        #expect(complaint([]).contains("no view model"))
        #expect(
            complaint([.hosting(Counter.self), .hosting(Counter.self)]).contains("Two view models are called counter")
        )
        #expect(complaint([.hosting(Profile.self)], names: ["profile"]).contains("the server itself uses this name"))
        #expect(complaint([.hosting(Tickets.self)], problems: ["sold-out"]).contains("The refusal sold-out"))
    }

    @Test("a catalogue describes what is declared, in order")
    func description() throws {
        let catalogue = try Catalogue([.hosting(Profile.self), .hosting(Tickets.self), .hosting(Counter.self)])
        #expect(catalogue.viewModels.map(\.name) == ["profile", "tickets", "counter"])
        let profile = try #require(catalogue.viewModel("profile"))
        #expect(profile.outputs.map(\.schema) == [.integer(Int128(Int.min)...Int128(Int.max)), .string])
        #expect(profile.facets.map(profile.places) == [[1]])
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
        for tag in ["", "1d", "de_CH", "-de", String(repeating: "a", count: 65)] { #expect(Language(tag) == nil) }
    }
}
