import Testing

@testable import ViewModels

@Suite("The values that are tried for a shape")
struct JSONShapeTests {
    private func near(_ text: String, _ schema: JSONSchema) throws -> [String] {
        let node = try JSONGrammar.read(Array(text.utf8))
        return JSONShape(schema).near(node).map { String(decoding: $0.text, as: UTF8.self) }
    }

    @Test("differ by one letter or one, or from a list by its last element or the first one's value")
    func near() throws {
        #expect(try near(#""x9""#, .string) == [#""x0""#, #""x1""#, #""x9a""#])
        #expect(try near("7", .integer(-9...9)) == ["6", "8"])
        #expect(try near("[7,8]", .array(.integer(-9...9))) == ["[7]", "[6,8]"])
        #expect(try near("[]", .array(.string)).isEmpty)
    }
}
