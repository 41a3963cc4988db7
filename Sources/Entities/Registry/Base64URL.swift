/// The URL-safe base64 coding without padding (RFC 4648, section 5).
package enum Base64URL {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits of a character; nil for any other character.
    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// The text of these bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count) = (0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                characters.append(alphabet[bits >> count & 63])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { characters.append(alphabet[bits << (6 - count) & 63]) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The bytes of a text; nil if it has a character of another alphabet.
    static func decode(_ text: Substring.UTF8View) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            (bits, count) = (bits << 6 | Int(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 255))
                bits &= (1 << count) - 1
            }
        }
        return bytes
    }
}
