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
    /// Of half a million parts.
    ///
    /// The compiler takes twice as long for each level more: for twice as many, minutes.
    private typealias Twelve<Inner: Codable> = Three<Three<Three<Three<Inner>>>>

    @Test("is known where it can be written out, with values that have an end")
    func known() throws {
        let schema = try JSONSchema(of: Three<Three<Int>>.self)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            #expect(try #require(schema.madeUp(by: &generator, isShort: true)).utf8.count < 100_000)
        }
    }

    /// One type for each kind, of which each holds lists of all.
    private struct Part<Kind>: Codable {
        var rows: [Part<Int8>]
        var cells: [Part<Int16>]
        var members: [Part<Int32>]
        var pages: [Part<Int64>]
    }

    @Test("is known of types that hold each other, too")
    func mutual() throws {
        _ = try FoundType.of(Part<Int8>.self).shown.get()
    }

    @Test("is a fault, and is told at once, where that would be half a million parts")
    func tooLarge() {
        let thrown = #expect(throws: SchemaFault.self) { try JSONSchema(of: Twelve<Int>.self) }
        #expect(
            thrown?.complaint
                == "has more than 5000 parts, as what it holds is written out wherever it is met: let it hold less, or say its "
                + "shape by conforming it to SchemaDescribing")
    }

    @Test("may be a model's, and is held to an order all the same")
    func stored() {
        #expect(SearchedType(Twelve<Int>.self).orderFault() == nil)
        #expect(SearchedType(Twelve<Set<Int>>.self).orderFault()?.isOfOrder == true)
    }
}
