/// The grammar of JSON (RFC 8259), checked to the letter.
///
/// Foundation's decoder takes more than the grammar allows (a comma before a closing bracket, `01`, a string that is
/// no UTF-8 in a member nobody reads, a member twice) and says of a number that does not fit its type that the text is
/// no JSON. What has passed here is JSON, so that whatever the decoder then complains of is its shape.
struct JSONGrammar {
    /// As deep as Foundation's decoder goes.
    static let deepest = 512
    private let text: [UInt8]
    private var place = 0

    /// Checks that the text is one JSON value in UTF-8, of any shape, and nothing besides.
    static func check(_ text: [UInt8]) throws(JSONFault) {
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
        guard String(validating: text, as: UTF8.self) != nil else { throw .notUTF8 }
        var grammar = JSONGrammar(text: text)
        grammar.space()
        guard grammar.next != nil else { throw .empty }
        try grammar.value(depth: 0)
        guard grammar.next == nil else { throw grammar.fault }
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

    /// What is wrong where the reading stopped.
    private var fault: JSONFault { next == nil ? .unfinished : .unexpected(byte: place + 1) }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
        guard take(character) else { throw fault }
    }

    private mutating func value(depth: Int) throws(JSONFault) {
        space()
        switch next {
        case UInt8(ascii: "{"): try members(depth: depth)
        case UInt8(ascii: "["): try elements(depth: depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        space()
    }

    private mutating func members(depth: Int) throws(JSONFault) {
        guard depth < Self.deepest else { throw .tooDeep }
        try expect("{")
        space()
        if take("}") { return }
        var names: Set<String> = []
        repeat {
            space()
            let start = place
            try string()
            let name = Self.unescaped(text[start..<place])
            guard names.insert(name).inserted else { throw .doubled([name]) }
            space()
            try expect(":")
            do { try value(depth: depth + 1) } catch .doubled(let path) { throw .doubled([name] + path) }
        } while take(",")
        try expect("}")
    }

    private mutating func elements(depth: Int) throws(JSONFault) {
        guard depth < Self.deepest else { throw .tooDeep }
        try expect("[")
        space()
        if take("]") { return }
        var count = 0
        repeat {
            do { try value(depth: depth + 1) } catch .doubled(let path) { throw .doubled([String(count)] + path) }
            count += 1
        } while take(",")
        try expect("]")
    }

    private mutating func string() throws(JSONFault) {
        try expect("\"")
        while let byte = next, byte >= 0x20 {
            place += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { try escape() }
        }
        throw fault
    }

    private mutating func escape() throws(JSONFault) {
        guard let byte = next else { throw fault }
        guard byte == UInt8(ascii: "u") || "\"\\/bfnrt".utf8.contains(byte) else { throw fault }
        place += 1
        guard byte == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard let digit = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit || 0x61...0x66 ~= digit | 0x20 else {
                throw fault
            }
            place += 1
        }
    }

    /// A member's name as the decoder reads it: two spellings of one name are one.
    private static func unescaped(_ string: ArraySlice<UInt8>) -> String {
        let plain = string.dropFirst().dropLast()
        guard plain.contains(UInt8(ascii: "\\")) else { return String(decoding: plain, as: UTF8.self) }
        return (try? JSON.decode(String.self, from: Array(string))) ?? String(decoding: plain, as: UTF8.self)
    }

    private mutating func number() throws(JSONFault) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        guard take("e") || take("E") else { return }
        _ = take("+") || take("-")
        try digits()
    }

    private mutating func digits() throws(JSONFault) {
        guard take(while: Self.isDigit) > 0 else { throw fault }
    }

    private mutating func word(_ word: StaticString) throws(JSONFault) {
        for character in word.description.unicodeScalars { try expect(character) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
