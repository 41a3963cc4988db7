import Sessions
import Testing

@Suite("The public id of a session")
struct PublicIDTests {
    @Test("is 15 characters of base64url, and the same each time")
    func form() {
        let id = SessionToken.random().sessionID
        #expect(id.publicID.wholeMatch(of: /[A-Za-z0-9_-]{15}/) != nil)
        #expect(id.publicID == SessionID(rawValue: id.rawValue).publicID)
    }

    @Test("is what it was in every version before: clients keep it over a restart")
    func stable() {
        #expect(SessionID.public.publicID == "Vz0OgTeziwE0hTM")
        #expect(SessionToken("AAAAAAAAAAAAAAAAAAAAAA")?.sessionID.publicID == "oZiF3xqAtWCIt8Q")
    }

    @Test("differs from session to session, and is no part of the token or of the name in the store")
    func apart() {
        let tokens = (0..<100).map { _ in SessionToken.random() }
        #expect(Set(tokens.map(\.sessionID.publicID)).count == 100)
        for token in tokens {
            #expect(!token.secret.contains(token.sessionID.publicID))
            #expect(!token.sessionID.rawValue.contains(token.sessionID.publicID))
            #expect(SessionToken(token.sessionID.publicID) == nil)
        }
    }
}
