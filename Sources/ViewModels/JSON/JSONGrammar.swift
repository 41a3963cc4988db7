/// The grammar of JSON (RFC 8259), checked to the letter.
///
/// Foundation's decoder takes more than the grammar allows (a comma before a closing bracket, `01`, a string that is
/// no UTF-8 in a member nobody reads) and says of a number that does not fit its type that the text is no JSON. What
/// has passed here is JSON, so that whatever the decoder then complains of is its shape.
struct JSONGrammar {
    /// As deep as Foundation's decoder goes.
    private static let deepest = 512
    private let text: [UInt8]
    private var place = 0

    /// Whether the text is one JSON value in UTF-8, of any shape, and nothing besides.
    static func accepts(_ text: [UInt8]) -> Bool {
        guard String(validating: text, as: UTF8.self) != nil else { return false }
        var grammar = JSONGrammar(text: text)
        return grammar.value(depth: 0) && grammar.place == text.count
    }

    private init(text: [UInt8]) { self.text = text }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> Int {
        let start = place
        while let byte = next, isWanted(byte) { place += 1 }
        return place - start
    }

    private mutating func space() { _ = take { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        space()
        defer { space() }
        switch next {
        case UInt8(ascii: "{"): return members(depth: depth)
        case UInt8(ascii: "["): return elements(depth: depth)
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func members(depth: Int) -> Bool {
        _ = take("{")
        space()
        if take("}") { return true }
        repeat {
            space()
            guard string() else { return false }
            space()
            guard take(":"), value(depth: depth + 1) else { return false }
        } while take(",")
        return take("}")
    }

    private mutating func elements(depth: Int) -> Bool {
        _ = take("[")
        space()
        if take("]") { return true }
        repeat {
            guard value(depth: depth + 1) else { return false }
        } while take(",")
        return take("]")
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = next, byte >= 0x20 {
            place += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = next else { return false }
        place += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        for _ in 0..<4 {
            guard let digit = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit || 0x61...0x66 ~= digit | 0x20 else {
                return false
            }
            place += 1
        }
        return true
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0"), take(while: Self.isDigit) == 0 { return false }
        if take("."), take(while: Self.isDigit) == 0 { return false }
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return take(while: Self.isDigit) > 0
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for character in word.description.unicodeScalars where !take(character) { return false }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
