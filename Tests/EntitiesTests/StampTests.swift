import Testing

@testable import Entities

/// Protects the text of cursors and tags.
@Suite("A stamp")
struct StampTests {
    @Test("has a text form that reads back", arguments: [0, 1, 0x8000_0000_0000_0001, UInt64.max])
    func roundTrip(nonce: UInt64) throws {
        let stamp = Stamp(seq: 43, nonce: nonce)
        #expect(stamp.description.hasPrefix("43."))
        #expect(stamp.description.utf8.count == 14)
        #expect(Stamp(stamp.description) == stamp)
    }

    @Test(
        "is not read from any other text",
        arguments: [
            "", "43", "43.", "43.AAAAAAAAAA", "43.AAAAAAAAAAAA", "043.AAAAAAAAAAA", "+43.AAAAAAAAAAA", "43.AAAAAAAAAAB",
            "43.AAAAA=AAAAA", "43.AAAAA.AAAAA", "-1.AAAAAAAAAAA", "99999999999999999999.AAAAAAAAAAA",
        ])
    func malformed(text: String) { #expect(Stamp(text) == nil) }
}

/// Protects the names of sessions and the digests of builds.
@Suite("The hashes")
struct HashTests {
    @Test(
        "SHA-256 gives the digests of FIPS 180-4",
        arguments: [
            ("", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
            ("abc", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "JI1qYdIGOLjlwCaTDD5gOaM85Flk_yFn9uzt1BnbBsE"),
        ])
    func sha256(text: String, digest: String) {
        #expect(Base64URL.encode(SHA256.digest(of: Array(text.utf8))) == digest)
    }

    @Test("HMAC-SHA256 gives the code of RFC 4231, test case 2")
    func hmac() {
        let code = SHA256.authenticationCode(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(code.prefix(4) == [0x5b, 0xdc, 0xc1, 0x46])
    }

    @Test("the stable hash stays the same in every build")
    func stable() {
        var hash = StableHash()
        hash.add(Array("Bindery".utf8))
        #expect(hash.value == 16_845_482_840_708_017_294)
    }

    @Test("the stable hash tells where one text ends and the next begins")
    func boundaries() {
        func hash(_ texts: [String]) -> UInt64 {
            var hash = StableHash()
            for text in texts { hash.add(Array(text.utf8)) }
            return hash.value
        }
        #expect(hash(["ab", "c"]) != hash(["a", "bc"]))
        #expect(hash(["", "a"]) != hash(["a", ""]))
        #expect(hash(["12345678"]) != hash(["12345678", ""]))
    }
}

/// Protects tokens from logs and guesses.
@Suite("A session token")
struct SessionTokenTests {
    @Test("is never printed")
    func hidden() {
        let token = SessionToken.random()
        #expect("\(token)" == "‹token›")
        #expect(String(reflecting: token) == "‹token›")
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test("has 22 characters, and names its entity by a hash")
    func hash() throws {
        let token = SessionToken.random()
        #expect(token.secret.utf8.count == 22)
        let again = try #require(SessionToken(token.secret[...]))
        #expect(again.entityID == token.entityID)
        #expect(token.entityID.text.utf8.count == 43)
        #expect(!token.entityID.text.contains(token.secret))
        #expect(SessionToken.random().entityID != token.entityID)
    }

    @Test(
        "is not taken from any other text",
        arguments: ["", "short", "AAAAAAAAAAAAAAAAAAAAAAA"])
    func malformed(text: String) { #expect(SessionToken(text[...]) == nil) }
}
