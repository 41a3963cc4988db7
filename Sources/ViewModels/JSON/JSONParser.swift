/// Reads JSON text by the grammar of RFC 8259, and refuses everything else.
///
/// Foundation's decoder accepts more: a comma before a bracket, `01`, a member twice.
struct JSONParser {
    /// The limit for nested lists and objects, in reading and writing.
    static let deepest = 512
    /// The limit for combining marks in a row, as in Unicode's Stream-Safe Text Format (UAX #15, section 13).
    ///
    /// Swift sorts such marks when it compares texts. 60 KB of them took 0.45 s.
    static let mostMarks = 30

    private let text: [UInt8]
    private var place = 0

    init(text: [UInt8]) { self.text = text }

    /// Reads the text, which is one JSON value in UTF-8.
    mutating func parse() throws(JSONFault) -> JSONValue {
        let value = try value(depth: 0)
        guard next == nil else { throw fault("nothing may follow the value") }
        return value
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    /// The error at the present byte.
    private func fault(_ rule: String, at place: Int? = nil) -> JSONFault {
        let place = place ?? self.place
        return JSONFault(offset: place + 1, rule: place < text.count ? rule : "the text ends too early")
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ word: StaticString, _ rule: String) throws(JSONFault) {
        for character in word.description.unicodeScalars where !take(character) { throw fault(rule) }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        guard depth <= Self.deepest else { throw fault("lists and objects nest deeper than \(Self.deepest) levels") }
        skipSpace()
        defer { skipSpace() }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        try expect(word, "a value is expected")
        return value
    }

    private mutating func object(depth: Int) throws(JSONFault) -> JSONObject {
        place += 1
        var object = JSONObject()
        skipSpace()
        if take("}") { return object }
        repeat {
            skipSpace()
            let start = place
            guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes is expected") }
            let name = try string()
            skipSpace()
            try expect(":", "a colon is expected")
            // Two spellings that Unicode calls equivalent are one name: a Swift dictionary would lose one of them.
            guard object[name] == nil else { throw fault("the object has a name twice", at: start) }
            object[name] = try value(depth: depth + 1)
        } while take(",")
        try expect("}", "a comma or } is expected")
        return object
    }

    private mutating func array(depth: Int) throws(JSONFault) -> [JSONValue] {
        place += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        try expect("]", "a comma or ] is expected")
        return elements
    }

    private mutating func string() throws(JSONFault) -> String {
        let opening = place
        place += 1
        var unescaped: [UInt8] = []
        var start = place
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                unescaped.append(contentsOf: text[start..<place])
                place += 1
                return try checked(unescaped, from: opening)
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: text[start..<place])
                place += 1
                unescaped.append(contentsOf: try escaped().utf8)
                start = place
            case ..<0x20: throw fault("a control character must be escaped")
            default: place += 1
            }
        }
        throw fault("")
    }

    private func checked(_ bytes: [UInt8], from opening: Int) throws(JSONFault) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw fault("the text is not UTF-8", at: opening)
        }
        // The first combining mark is U+0300: CC 80 in UTF-8.
        guard bytes.contains(where: { $0 >= 0xCC }) else { return string }
        var marks = 0
        for scalar in string.unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            guard marks <= Self.mostMarks else {
                throw fault("the text has more than \(Self.mostMarks) combining marks in a row", at: opening)
            }
        }
        return string
    }

    private static let escapes: [UInt8: String] = [
        0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
    ]

    /// What stands after a backslash.
    private mutating func escaped() throws(JSONFault) -> String {
        if next == UInt8(ascii: "u") { return try escapedByNumber() }
        guard let character = next.flatMap({ Self.escapes[$0] }) else { throw fault("no such escape exists") }
        place += 1
        return character
    }

    /// The characters of code units in a row: one beyond U+FFFF takes two (RFC 8259, section 7).
    private mutating func escapedByNumber() throws(JSONFault) -> String {
        let start = place - 1
        var units = [try codeUnit()]
        while text[place...].starts(with: #"\u"#.utf8) {
            place += 1
            units.append(try codeUnit())
        }
        if let string = String(validating: units, as: UTF16.self) { return string }
        throw JSONFault(offset: start + 1, rule: "half of a surrogate pair is no character")
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        place += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw fault("four hexadecimal digits are expected")
            }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }

    private mutating func number() throws(JSONFault) -> String {
        let start = place
        let isNegative = take("-")
        if !take("0") { try digits(or: isNegative ? "a digit is expected" : "a value is expected") }
        if take(".") { try digits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits()
        }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func digits(or rule: String = "a digit is expected") throws(JSONFault) {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        guard place > start else { throw fault(rule) }
    }
}

/// Why a text is not JSON; never holds what the text says.
package struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte that breaks the rule, counted from 1.
    package let offset: Int
    let rule: String

    /// A clause, such as `at byte 7, a colon is expected`.
    package var description: String { "at byte \(offset), \(rule)" }
}
