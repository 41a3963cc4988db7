import Binding
import Foundation
import Samples
import TestSupport
import Testing
import ViewModels

@Suite("profile")
struct ProfileTests {
    struct Load: Sendable, CustomTestStringConvertible {
        let body: String
        let paramA: Int
        let paramB: String
        var testDescription: String { body }
    }

    /// From a profile of 7 and "seven".
    static let loads = [
        Load(body: "{}", paramA: 7, paramB: "seven"),
        Load(body: #"{"paramA":1}"#, paramA: 1, paramB: "seven"),
        Load(body: #"{"paramB":"one"}"#, paramA: 7, paramB: "one"),
        Load(body: #"{"paramA":1,"paramB":"one"}"#, paramA: 1, paramB: "one"),
        Load(body: #"{"paramA":null,"paramB":null}"#, paramA: 7, paramB: "seven"),
        Load(body: #"{"paramA":0,"paramB":""}"#, paramA: 0, paramB: ""),
        Load(body: #"{"paramA":-1,"paramB":null}"#, paramA: -1, paramB: "seven"),
    ]

    @Test("load sets what is given and leaves the rest", arguments: loads)
    func load(load: Load) async throws {
        let profile = try HostedBench(.samples, "profile")
        try await profile.perform("load", #"{"paramA":7,"paramB":"seven"}"#)
        try await profile.perform("load", load.body)
        #expect(try profile.output("paramA") == .number(Double(load.paramA)))
        #expect(try profile.output("paramB") == .string(load.paramB))
    }

    @Test("begins with zero and nothing, or with what it is handed")
    func beginning() {
        #expect(ProfileViewModel().paramA.value == 0)
        #expect(ProfileViewModel().paramB.value == "")
        var model = ProfileViewModel.Model()
        (model.paramA, model.paramB) = (7, "seven")
        #expect(ProfileViewModel(model: model).paramA.value == 7)
        #expect(ProfileViewModel(model: model).paramB.value == "seven")
    }

    /// A child view: it is given a protocol that shows no more than it may see, and a center to bind through.
    final class Card {
        var text = ""
        private let bag = Bag()

        init(_ profile: any ProfileCardOutputs, _ center: NotificationCenter) {
            center.observe(profile.paramB, bindTo: self, \.text).disposed(by: bag)
        }
    }

    @Test("the card binds to the protocol and shows each change of its parameter")
    func card() {
        let profile = ProfileViewModel()
        let card = Card(profile, NotificationCenter())
        #expect(card.text == "")
        profile.load(.init(paramB: "one"))
        #expect(card.text == "one")
        profile.load(.init(paramA: 2))
        #expect(card.text == "one")
    }

    @Test("the card's binding ends with the card, and keeps neither the card nor the profile")
    func lifetime() {
        let center = NotificationCenter()
        weak var goneCard: Card?
        weak var goneProfile: ProfileViewModel?
        do {
            let profile = ProfileViewModel()
            goneProfile = profile
            do {
                let card = Card(profile, center)
                goneCard = card
                profile.load(.init(paramB: "one"))
                #expect(card.text == "one")
            }
            #expect(goneCard == nil)
            profile.load(.init(paramB: "two"))
        }
        #expect(goneProfile == nil)
    }

    @Test("the facet shows the card's parameter alone")
    func facet() throws {
        let declaration = try HostedBench(.samples, "profile").declaration
        let card = try #require(declaration.facets.first { $0.name.rawValue == "card" })
        #expect(card.outputs.map { declaration.outputs[$0].name.rawValue } == ["paramB"])
    }
}
