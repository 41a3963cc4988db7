import Testing

@testable import ViewModels

@Suite("A shape of many parts")
struct LargeShapeTests {
    private struct Level<Inner: Codable>: Codable {
        var many: [Inner]
        var one: Inner?
        var named: [String: Inner]
    }
    private typealias Three<Inner: Codable> = Level<Level<Level<Inner>>>
    private typealias Twelve<Inner: Codable> = Three<Three<Three<Three<Inner>>>>

    @Test("is known where it can be written out, with values that have an end")
    func known() throws {
        let schema = try JSONSchema(of: Three<Three<Int>>.self)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            #expect(try #require(schema.madeUp(by: &generator, isShort: true)).utf8.count < 100_000)
        }
    }

    private struct Member: Codable {
        var rows: [Row]
        var cells: [Cell]
        var members: [Member]
        var pages: [Page]
    }
    private struct Row: Codable {
        var rows: [Row]
        var cells: [Cell]
        var members: [Member]
        var pages: [Page]
    }
    private struct Cell: Codable {
        var rows: [Row]
        var cells: [Cell]
        var members: [Member]
        var pages: [Page]
    }
    private struct Page: Codable {
        var rows: [Row]
        var cells: [Cell]
        var members: [Member]
        var pages: [Page]
    }

    @Test("is known of types that hold each other, too")
    func mutual() throws {
        _ = try FoundType.of(Page.self).shown.get()
    }

    @Test("is a fault, and is told at once, where it would have no end")
    func endless() {
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(of: Twelve<Twelve<Int>>.self) }
        #expect(
            thrown?.complaint
                == "has more than 5000 parts, as what it holds is written out wherever it is met: let it hold less, or say its "
                + "shape by conforming it to SchemaDescribing")
    }

    @Test("may be a model's, and is held to an order all the same")
    func stored() {
        #expect(SearchedType(Twelve<Twelve<Int>>.self).orderFault() == nil)
        #expect(SearchedType(Twelve<Twelve<Set<Int>>>.self).orderFault()?.isOfOrder == true)
    }
}
