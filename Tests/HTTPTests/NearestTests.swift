import Testing

@testable import HTTP

@Suite("What somebody probably meant")
struct NearestTests {
    static let paths = ["/", "/counter", "/counter/increment", "/counter-stream", "/profile/card", "/files/{name}"]

    @Test(
        "a path is found in another case, with slashes too many, and misspelt",
        arguments: [
            ("/counter/", "/counter"), ("/Counter", "/counter"), ("//counter", "/counter"),
            ("/COUNTER//Increment/", "/counter/increment"), ("/countre", "/counter"), ("/conter", "/counter"),
            ("/counter/incremnt", "/counter/increment"), ("/profil/card", "/profile/card"), ("//", "/"),
            ("/counter-Stream", "/counter-stream"),
        ])
    func path(unknown: String, meant: String) { #expect(Nearest.path(to: unknown, among: Self.paths) == meant) }

    @Test(
        "nothing is made up for a path that is like no other",
        arguments: [
            "/nothing", "/favicon.ico", "/.env", "/files/", "/a/b/c/d",
            "/" + String(repeating: "counter", count: 1000),
        ])
    func noPath(unknown: String) { #expect(Nearest.path(to: unknown, among: Self.paths) == nil) }

    @Test(
        "a name is found within a third of its letters",
        arguments: [
            ("sinse", "since"), ("WAIT", "wait"), ("topic", "topics"), ("vaules", "values"), ("until", nil), ("", nil),
        ]
            as [(String, String?)])
    func name(misspelt: String, meant: String?) {
        #expect(Nearest.name(to: misspelt, among: ["since", "wait", "topics", "values"]) == meant)
    }

    @Test(
        "the distance counts insertions, removals, replacements and swapped neighbours",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("abcd", "abdc", 1), ("ab", "ba", 1),
        ])
    func distance(left: String, right: String, distance: Int) {
        #expect(Nearest.distance(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(Nearest.distance(Array(right.utf8), Array(left.utf8)) == distance)
    }
}
