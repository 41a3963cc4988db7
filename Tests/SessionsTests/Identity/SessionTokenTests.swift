import Sessions
import Testing

@Suite("SessionToken")
struct SessionTokenTests {
    @Test("a new one is 22 characters that are read back")
    func random() throws {
        let token = SessionToken.random()
        #expect(token.secret.utf8.count == 22)
        #expect(try #require(SessionToken(token.secret)).sessionID == token.sessionID)
    }

    @Test("no two of a thousand are the same")
    func distinct() { #expect(Set((0..<1000).map { _ in SessionToken.random().secret }).count == 1000) }

    @Test("is never printed, however it is printed")
    func printed() {
        let token = SessionToken.random()
        var dumped = ""
        dump(token, to: &dumped)
        dump([Optional(token)], to: &dumped)
        let printed = [
            "\(token)", String(describing: token), String(reflecting: token), "\([token])", "\(Optional(token) as Any)",
            String(reflecting: ["key": token]), dumped,
        ]
        for text in printed { #expect(!text.contains(token.secret)) }
        #expect("\(token)" == "‹token›")
    }

    @Test("is kept by its SHA-256 in hexadecimal")
    func hash() throws {
        let token = try #require(SessionToken("AAAAAAAAAAAAAAAAAAAAAA"))
        // printf AAAAAAAAAAAAAAAAAAAAAA | sha256sum
        let digest = "8a5bdb4cc15164126c6ef2668de9dd240d299ce6397a42c95a9411b93d080ed8"
        #expect(token.sessionID.rawValue == digest)
        #expect(token.sessionID != .public)
    }

    @Test(
        "what cannot have been made here is none",
        arguments: [
            "", "A", String(repeating: "A", count: 21), String(repeating: "A", count: 23),
            String(repeating: "A", count: 21) + "=", String(repeating: "A", count: 21) + "+",
            String(repeating: "A", count: 21) + "/", String(repeating: "A", count: 21) + " ",
            String(repeating: "A", count: 20) + "é", String(repeating: "é", count: 22), "public",
        ])
    func bad(text: String) { #expect(SessionToken(text) == nil) }
}
