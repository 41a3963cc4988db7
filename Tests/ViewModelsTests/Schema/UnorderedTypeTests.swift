import Foundation
import Testing

@testable import ViewModels

@Suite("A type of values without an order")
struct UnorderedTypeTests {
    typealias Case = SchemaFaultTests.Case

    enum Suit: String, Codable { case clubs, hearts }
    enum Rank: String, Codable, CodingKeyRepresentable { case ace }
    enum Draw: Codable { case cards(Set<Int>), none }
    struct Hand: Codable {
        var name = ""
        var cards: [Suit: Int]?
    }
    struct Nest: Codable {
        var children: [Nest]
        var kinds: [String: Set<Suit>]
    }

    static let sorted = "is written in another order each time: keep a sorted array"
    static let keyed =
        "is written in another order each time: take String or Int for its keys, or an enumeration of texts that conforms to "
        + "CodingKeyRepresentable"

    static let unordered = [
        Case(Set<Int>.self, sorted), Case([Suit: Int].self, keyed), Case(Hand.self, at: "cards", keyed),
        Case([Hand?].self, at: "*/cards", keyed), Case(Draw.self, at: "cards/_0", sorted),
        Case(Nest.self, at: "kinds/*", sorted),
    ]

    @Test(
        "is a set, or a dictionary of other keys than names: it has a shape, and must not be what is shown",
        arguments: unordered)
    func noOrder(fault: Case) throws {
        _ = try JSONSchema(of: fault.type)
        let thrown = #expect(throws: SchemaFault.self) { try shown(fault.type) }
        #expect(thrown?.path.joined(separator: "/") == fault.path)
        #expect(thrown?.complaint == fault.words)
    }

    private func shown<Value: Codable>(_ type: Value.Type) throws -> JSONSchema { try FoundType.of(type).shown.get() }

    @Test("is no dictionary whose keys are names")
    func ordered() throws {
        #expect(try FoundType.of([Rank: Int].self).shown.get() == .dictionary(.int, names: .oneOf(["ace"])))
        #expect(try FoundType.of([String: Int].self).shown.get() == .dictionary(.int))
        #expect(try FoundType.of([Int: Bool].self).shown.get() == .dictionary(.boolean, names: .int))
    }

    private final class Tagged: ViewModel {
        struct Note: Codable, Sendable { var tags: Set<String> = [] }
        struct Model: StoredModel { var notes: [Note] = [] }

        static let interface = Interface<Tagged>("tagged") {
            Output("count", \.count)
        }

        var count: Int { model.notes.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class Tagging: ViewModel {
        struct Model: StoredModel { var count = 0 }

        static let interface = Interface<Tagging>("tagging") {
            Output("count", \.count)
            Action("tag", example: [], Tagging.tag)
        }

        var count: Int { model.count }
        func tag(_ tags: Set<String>) {}
        let model: Model
        init(model: Model) { self.model = model }
    }

    private final class Mixed: ViewModel {
        struct Model: StoredModel {
            var rows = IndexSet()
            var union: SchemaFaultTests.Union?
            var large: UInt128 = 0
            var tags: Set<String> = []
        }

        static let interface = Interface<Mixed>("mixed") { Output("count", \.count) }

        var count: Int { model.tags.count }
        let model: Model
        init(model: Model) { self.model = model }
    }

    @Test("a set is a fault of a declaration that stores it, also behind what has a shape that cannot be told")
    func storedBehind() {
        #expect(
            Declaration.hosting(Mixed.init(model:)).faults.map(\.description) == [
                "mixed: the model: its member tags, of Swift.Set<Swift.String> \(Self.sorted)"
            ])
    }

    @Test("a set is a fault of a declaration that stores it, or takes it as a body")
    func stored() {
        #expect(
            Declaration.hosting(Tagged.init(model:)).faults.first?.description
                == "tagged: the model: its member notes/*/tags, of Swift.Set<Swift.String> \(Self.sorted)")
        #expect(
            Declaration.hosting(Tagging.init(model:)).faults.first?.description
                == "tagging: the body of tag: Swift.Set<Swift.String> \(Self.sorted)")
    }
}
