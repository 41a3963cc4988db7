import Testing

@testable import HTTP

@Test("a query keeps its order, its repetitions and its empty values")
func queryKeepsOrder() throws {
    let bytes = Array("b=2&a=1&b=%C3%A9+x&empty&=".utf8)
    let query = try bytes.withUnsafeBytes { try Query(parsing: $0) }
    #expect(query.names == ["b", "a", "b", "empty", ""])
    #expect(query["b"] == "2")
    #expect(query.values(of: "b") == ["2", "é x"])
    #expect(query["empty"] == "")
    #expect(query["absent"] == nil)
}

@Test("a query that is not percent-encoded UTF-8 is refused", arguments: ["a=%", "a=%4", "%zz=1", "a=%ff", "a=%C3"])
func malformedQueryIsRefused(query: String) {
    #expect(throws: Problem.self) {
        try Array(query.utf8).withUnsafeBytes { try Query(parsing: $0) }
    }
}
