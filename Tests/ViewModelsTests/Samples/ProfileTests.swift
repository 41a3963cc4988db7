import Binding
import Foundation
import Testing
import ViewModels

@testable import Samples

/// Protects the profile, and what its child view may see.
@Suite("profile")
struct ProfileTests {
    /// From a profile of 7 and "seven".
    static let loads: [(body: String, paramA: Int, paramB: String)] = [
        ("{}", 7, "seven"), (#"{"paramA":1}"#, 1, "seven"), (#"{"paramB":"one"}"#, 7, "one"),
        (#"{"paramA":1,"paramB":"one"}"#, 1, "one"), (#"{"paramA":null,"paramB":null}"#, 7, "seven"),
        (#"{"paramA":0,"paramB":""}"#, 0, ""),
    ]

    @Test("load sets the given parameters and keeps the rest", arguments: loads)
    func load(body: String, paramA: Int, paramB: String) async throws {
        let profile = try Bench("profile", stored: #"{"paramA":7,"paramB":"seven"}"#)
        try await profile.run("load", body)
        #expect(try profile.shown() == #"{"paramA":\#(paramA),"paramB":"\#(paramB)"}"#)
        #expect(try profile.stored == #"{"paramA":\#(paramA),"paramB":"\#(paramB)"}"#)
    }

    @Test("begins with zero and an empty text, and its card shows the second parameter alone")
    func card() throws {
        let profile = try Bench("profile")
        #expect(try profile.shown() == #"{"paramA":0,"paramB":""}"#)
        #expect(try profile.shown(facet: "card") == #"{"paramB":""}"#)
    }

    /// A child view: it has a protocol that shows no more than it may see, and a center to bind through.
    private final class Card {
        var text = ""
        private let bag = Bag()

        init(_ profile: any ProfileCard, _ center: NotificationCenter) {
            center.observe(profile.paramB, bindTo: self, \.text).disposed(by: bag)
        }
    }

    @Test("the child view shows each change of its parameter")
    func child() {
        let profile = Profile(model: .init(paramA: 7, paramB: "seven"), context: .init())
        let card = Card(profile, NotificationCenter())
        #expect(card.text == "seven")
        profile.load(.init(paramB: "one"))
        profile.load(.init(paramA: 2))
        #expect(card.text == "one")
    }
}
