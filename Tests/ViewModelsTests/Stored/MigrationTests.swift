import TestSupport
import Testing

@testable import ViewModels

/// A price list that has seen some builds.
private final class Prices: ViewModel {
    struct Model: StoredModel {
        var cents = 0
        var shop = Shop()
        var items: [Item] = []

        static let version = 3

        struct Failure: Error {}

        static func migrate(_ stored: inout StoredObject, from version: Int) throws {
            if version < 2 { stored.rename("price", to: "euros") }
            if version < 3 {
                if stored.has("secret") { throw Failure() }
                try stored.set("cents", to: stored.get("euros", as: Int.self) * 100)
                stored.remove("euros")
                try stored.change("shop") { $0.rename("town", to: "city") }
                try stored.changeEach("items") {
                    try $0.set("tax", to: $0.get("kind", as: String.self) == "book" ? 7 : 19)
                }
            }
        }
    }

    struct Shop: Codable, Sendable { var city = "" }
    struct Item: Codable, Sendable {
        var kind: String
        var tax: Int
    }

    static let interface = Interface<Prices>("prices") { Output("cents", \.cents) }
    var cents: Int { model.cents }
    let model: Model
    init(model: Model) { self.model = model }
}

@Suite("A migration")
struct ModelMigrationTests {
    private func read(_ text: String, storedBy version: Int) throws(ModelUnreadable) -> Prices.Model {
        try Prices.Model.read(Array(text.utf8), storedBy: version, for: Prices.interface.name).model
    }

    @Test(
        "leads a model from whichever version it is to this one",
        arguments: [
            (#"{"price":2,"shop":{"town":"Rome"},"items":[{"kind":"book"},{"kind":"toy"}]}"#, 1),
            (#"{"euros":2,"shop":{"town":"Rome"},"items":[{"kind":"book"},{"kind":"toy"}]}"#, 2),
            (#"{"cents":200,"shop":{"city":"Rome"},"items":[{"kind":"book","tax":7},{"kind":"toy","tax":19}]}"#, 3),
        ])
    func leads(text: String, version: Int) throws {
        let model = try read(text, storedBy: version)
        #expect(model.cents == 200)
        #expect(model.shop.city == "Rome")
        #expect(model.items.map(\.tax) == [7, 19])
    }

    @Test("keeps what it does not touch and this build does not know, and stores the version that it made")
    func keeps() throws {
        let declaration = Declaration.hosting(Prices.init(model:))
        let hosted = try declaration.make(
            in: ViewModelContext(), from: Array(#"{"price":2,"colour":"red"}"#.utf8), storedBy: 1)
        #expect(hosted.version == 3)
        #expect(
            String(utf8: try hosted.encodedModel()) == #"{"cents":200,"colour":"red","items":[],"shop":{"city":""}}"#)
    }

    @Test("that throws leaves the model unreadable", arguments: [#"{"price":2,"secret":1}"#, "{}", #"{"price":"x"}"#])
    func throwing(text: String) {
        #expect(throws: ModelUnreadable.self) { try read(text, storedBy: 1) }
        do throws(ModelUnreadable) { _ = try read(text, storedBy: 1) } catch { #expect(error.reason == .migration) }
    }

    @Test("names the member that it could not use")
    func named() {
        do throws(ModelUnreadable) { _ = try read(#"{"price":2,"items":[{"kind":1}]}"#, storedBy: 1) } catch {
            #expect(error.member == "kind")
        }
        do throws(ModelUnreadable) { _ = try read(#"{"price":2,"items":[1]}"#, storedBy: 1) } catch {
            #expect(error.member == "items/*")
            #expect(
                error.description == "prices: the member items/* could not be migrated (stored by version 1, read by 3)"
            )
        }
    }

    @Test("is not run for what a later version stored")
    func later() throws {
        #expect(try read(#"{"cents":1,"items":[],"secret":1,"shop":{"city":""}}"#, storedBy: 4).cents == 1)
    }
}
