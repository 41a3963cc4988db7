import Testing

@testable import HTTP

@Suite("ASCII, by bytes")
struct ASCIITests {
    @Test("every byte is what Swift's characters say of it, and beyond ASCII nothing")
    func bytes() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.isBlank == (character == " " || character == "\t"))
            #expect(byte.isDigit == ("0"..."9").contains(character))
            #expect(byte.lowercased == (character.isASCII ? character.lowercased().utf8.first : byte))
        }
    }

    @Test("blanks are taken from both ends alone", arguments: ["", " ", "\t \t", "a b", " a\tb \t", "\u{A0}a\n"])
    func trimming(text: String) {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let expected = text.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        #expect(text[...].trimmed == String(expected))
    }
}
