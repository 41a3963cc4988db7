import Testing
import ViewModels

@Suite("Languages")
struct LanguageTests {
    @Test(
        "are tags of BCP 47, written as RFC 5646 recommends, whatever the case they come in",
        arguments: [
            ("EN", "en"), ("de-ch", "de-CH"), ("ZH-hANT-tw", "zh-Hant-TW"), ("es-419", "es-419"),
            ("sl-ROZAJ-biske", "sl-rozaj-biske"),
            ("en-ca-X-CA", "en-CA-x-ca"), ("X-Klingon", "x-klingon"), ("de-1996", "de-1996"),
        ])
    func forms(given: String, written: String) {
        #expect(Language(given)?.rawValue == written)
        #expect(Language(given) == Language(written))
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "-", "de-", "-de", "de--CH", "de_CH", "d\u{e9}", "1de", "*", "abcdefghi", "de-abcdefghi", "de CH",
            String(repeating: "a-", count: 32) + "ab",
        ])
    func malformed(tag: String) { #expect(Language(tag) == nil) }

    @Test(
        "are looked up by what is left of a tag when its end is cut off",
        arguments: [
            ("zh-Hant-CN-x-private1-private2", "zh-Hant"), ("de-CH-1996", "de-CH"), ("de-AT", "de"), ("de", "de"),
            ("en-GB", nil),
            ("zh", nil), ("fr", nil),
        ])
    func lookup(asked: Language, found: Language?) {
        let languages = Languages("fr-CA", "de", "de-CH", "zh-Hant", "zh-Hant-CN-x", "de")
        #expect(languages.lookup(asked) == found)
        #expect(languages.spoken(to: asked) == found ?? "fr-CA")
        #expect(languages.all.count == 5)
    }
}
