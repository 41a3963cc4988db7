import Testing
import ViewModels

@Suite("Name")
struct NameTests {
    @Test(
        "letters, digits and hyphens after a letter are a name",
        arguments: ["a", "Z", "counter", "increase-title", "paramA", "x9", "a-", String(repeating: "n", count: 64)])
    func good(text: String) throws {
        let name = try #require(Name(text))
        #expect(name.rawValue == text)
        #expect("\(name)" == text)
    }

    @Test(
        "anything else is not",
        arguments: [
            "", "9", "-a", "a b", "a/b", "a.b", "a_b", "a%20", "é", "ａ", "数", "a\n", "a\u{301}", "{", "[", "@", "`",
            "\"", String(repeating: "n", count: 65),
        ])
    func bad(text: String) { #expect(Name(text) == nil) }
}
