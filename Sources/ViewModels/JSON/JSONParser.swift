/// Reads JSON text by the grammar of RFC 8259, and refuses everything else.
///
/// Foundation's decoder accepts more, for example a comma before a bracket, `01`, and duplicate members.
struct JSONParser {
    /// The limit for nested lists and objects, in reading and writing.
    static let deepest = 512
    /// The limit for combining marks in a row, as in Unicode's Stream-Safe Text Format (UAX #15, section 13).
    ///
    /// Swift sorts such marks when it compares texts. 60 KB of them took 0.45 s. The limit holds for requests only: an action
    /// may join texts, and the server must be able to read the stored result.
    static let mostMarks = 30

    let text: [UInt8]
    /// Whether a client sent the text as the body of a request.
    let isBody: Bool
    var place = 0

    /// Reads a text that is one JSON value in UTF-8.
    static func parse(_ text: [UInt8], isBody: Bool) throws(InputFault) -> JSONValue {
        var parser = JSONParser(text: text, isBody: isBody)
        let value = try parser.value(depth: 0)
        guard parser.next == nil else { throw parser.fault("nothing may follow the value") }
        return value
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    /// The error at a byte; the default is the current byte.
    private func fault(_ rule: String, at place: Int? = nil) -> InputFault {
        let place = place ?? self.place
        let rule = place < text.count ? rule : "the text ends too early"
        return .malformed(detail: "The text is not JSON (RFC 8259): at byte \(place + 1), \(rule).")
    }

    /// Takes a word if it is next.
    private mutating func take(_ word: String) -> Bool {
        guard text[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func value(depth: Int) throws(InputFault) -> JSONValue {
        guard depth <= Self.deepest else { throw fault("lists and objects nest deeper than \(Self.deepest) levels") }
        skipSpace()
        defer { skipSpace() }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): if take("true") { return .boolean(true) }
        case UInt8(ascii: "f"): if take("false") { return .boolean(false) }
        case UInt8(ascii: "n"): if take("null") { return .null }
        default: return .number(try number())
        }
        throw fault("a value is expected")
    }

    private mutating func object(depth: Int) throws(InputFault) -> JSONObject {
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
            guard take(":") else { throw fault("a colon is expected") }
            // Names that Unicode calls equivalent are equal: a Swift dictionary would lose one of them.
            guard object[name] == nil else { throw fault("the object has a name twice", at: start) }
            object[name] = try value(depth: depth + 1)
        } while take(",")
        guard take("}") else { throw fault("a comma or } is expected") }
        return object
    }

    private mutating func array(depth: Int) throws(InputFault) -> [JSONValue] {
        place += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw fault("a comma or ] is expected") }
        return elements
    }

    private mutating func string() throws(InputFault) -> String {
        let opening = place
        place += 1
        var unescaped: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return try checked(unescaped, from: opening)
            case UInt8(ascii: "\\"): unescaped += try escaped().utf8
            case ..<0x20: throw fault("a control character must be escaped")
            default:
                unescaped.append(byte)
                place += 1
            }
        }
        throw fault("")
    }

    private func checked(_ bytes: [UInt8], from opening: Int) throws(InputFault) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw fault("the text is not UTF-8", at: opening)
        }
        // The first combining mark is U+0300: CC 80 in UTF-8.
        guard isBody, bytes.contains(where: { $0 >= 0xCC }) else { return string }
        var marks = 0
        for scalar in string.unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            guard marks <= Self.mostMarks else {
                throw fault("the text has more than \(Self.mostMarks) combining marks in a row", at: opening)
            }
        }
        return string
    }

    private static let escapes: [UInt8: UInt16] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x8, 0x66: 0xC, 0x6E: 0xA, 0x72: 0xD, 0x74: 0x9,
    ]

    /// Reads consecutive escapes: a character above U+FFFF takes two code units (RFC 8259, section 7).
    private mutating func escaped() throws(InputFault) -> String {
        let start = place
        var units: [UInt16] = []
        while take("\\") {
            let digits = text[place...].dropFirst().prefix(4)
            if let unit = next.flatMap({ Self.escapes[$0] }) {
                units.append(unit)
                place += 1
            } else if take("u"), digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                units.append(unit)
                place += 4
            } else {
                throw fault("the escape is unknown")
            }
        }
        if let string = String(validating: units, as: UTF16.self) { return string }
        throw fault("half of a surrogate pair is no character", at: start)
    }

    private mutating func number() throws(InputFault) -> String {
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

    private mutating func digits(or rule: String = "a digit is expected") throws(InputFault) {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        guard place > start else { throw fault(rule) }
    }
}
