/// Reads JSON by its grammar (RFC 8259), to the letter.
///
/// Foundation's decoder takes more than the grammar allows: a comma before a closing bracket, `01`, a string that is no
/// UTF-8 in a member nobody reads, a member twice.
struct JSONGrammar {
    /// As deep as Foundation's decoder goes.
    static let deepest = 512
    private let text: [UInt8]
    private let boundsMarks: Bool
    private var place = 0
    /// Of all names with a mark so far.
    private var markedNameBytes = 0
    /// From what was refused outwards, the names and places that lead there.
    private var trail: [String] = []

    /// Reads a text that is one JSON value in UTF-8, of any shape, and nothing besides.
    static func read(_ text: [UInt8]) throws(JSONFault) -> JSONNode { try read(text, boundsMarks: false) }

    /// Reads what a caller sent: it has no more combining marks in a row than ``mostMarks``, and no longer names
    /// with such marks than ``mostMarkedNameBytes``.
    static func read(sent text: [UInt8]) throws(JSONFault) -> JSONNode { try read(text, boundsMarks: true) }

    private static func read(_ text: [UInt8], boundsMarks: Bool) throws(JSONFault) -> JSONNode {
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
        guard String(validating: text, as: UTF8.self) != nil else { throw .notUTF8 }
        var grammar = JSONGrammar(text: text, boundsMarks: boundsMarks)
        grammar.space()
        guard grammar.next != nil else { throw .empty }
        do throws(JSONFault) {
            let value = try grammar.value(depth: 0)
            guard grammar.next == nil else { throw grammar.fault }
            return value
        } catch {
            guard case .refused(let refusal, _) = error else { throw error }
            throw .refused(refusal, at: grammar.trail.reversed())
        }
    }

    private init(text: [UInt8], boundsMarks: Bool) {
        self.text = text
        self.boundsMarks = boundsMarks
    }

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

    private mutating func space() { _ = take { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }

    /// What is wrong where the reading stopped.
    private var fault: JSONFault { next == nil ? .unfinished : .unexpected(byte: place + 1) }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
        guard take(character) else { throw fault }
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONNode {
        space()
        let value: JSONNode
        switch next {
        case UInt8(ascii: "{"): value = .object(try members(depth: depth))
        case UInt8(ascii: "["): value = .array(try elements(depth: depth))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"): value = try word("true", .boolean(true))
        case UInt8(ascii: "f"): value = try word("false", .boolean(false))
        case UInt8(ascii: "n"): value = try word("null", .null)
        default: value = .number(try number())
        }
        space()
        return value
    }

    private mutating func members(depth: Int) throws(JSONFault) -> JSONNode.Members {
        guard depth < Self.deepest else { throw .refused(.tooDeep, at: []) }
        try expect("{")
        space()
        var members: [(String, JSONNode)] = []
        if take("}") { return JSONNode.Members(members) }
        // Two names that Unicode calls equivalent are one: a dictionary of Swift's would lose one of two. Of each its hash
        // alone, for which its spelling is looked at once: to compare two of them does so for every pair, at half a
        // microsecond a letter. Which texts have one hash, nobody knows beforehand.
        var names: Set<Int> = []
        repeat {
            space()
            let name = try self.name()
            guard names.insert(name.hashValue).inserted else { throw leave(name, .refused(.doubled, at: [])) }
            space()
            try expect(":")
            do { members.append((name, try value(depth: depth + 1))) } catch { throw leave(name, error) }
        } while take(",")
        try expect("}")
        return JSONNode.Members(members)
    }

    private mutating func name() throws(JSONFault) -> String {
        let name = try string()
        guard boundsMarks, name.utf8.contains(where: Self.mayBeginMark),
            name.unicodeScalars.contains(where: Self.hasOtherSpellings)
        else { return name }
        markedNameBytes += name.utf8.count
        guard markedNameBytes <= Self.mostMarkedNameBytes else { throw .refused(.tooLongMarkedNames, at: []) }
        return name
    }

    private mutating func elements(depth: Int) throws(JSONFault) -> [JSONNode] {
        guard depth < Self.deepest else { throw .refused(.tooDeep, at: []) }
        try expect("[")
        space()
        var elements: [JSONNode] = []
        if take("]") { return elements }
        repeat {
            do { elements.append(try value(depth: depth + 1)) } catch { throw leave(String(elements.count), error) }
        } while take(",")
        try expect("]")
        return elements
    }

    /// The fault, on its way out of the value of a name or of a place in a list.
    private mutating func leave(_ name: String, _ fault: JSONFault) -> JSONFault {
        trail.append(name)
        return fault
    }

    /// Two spellings of one text are one.
    private mutating func string() throws(JSONFault) -> String {
        try expect("\"")
        var unescaped: [UInt8] = []
        var start = place
        while let byte = next, byte >= 0x20 {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                if unescaped.isEmpty { return try text(of: text[start..<place - 1]) }
                unescaped.append(contentsOf: text[start..<place - 1])
                return try text(of: unescaped[...])
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: text[start..<place - 1])
                unescaped.append(contentsOf: String(try escaped()).utf8)
                start = place
            default: break
            }
        }
        throw fault
    }

    private func text(of bytes: ArraySlice<UInt8>) throws(JSONFault) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isSuspect = boundsMarks && bytes.contains(where: Self.mayBeginMark)
        guard !isSuspect || !Self.isMarkedTooOften(text) else { throw .refused(.tooManyMarks, at: []) }
        return text
    }

    /// As many marks on one letter as Unicode's Stream-Safe Text Format has (UAX #15, section 13); writing has a few.
    static let mostMarks = 30
    /// As long as those names of a body may be in all that have combining marks.
    ///
    /// With a single one in it, to find what a name is equivalent to costs up to 0.4 µs a byte; without, a hundredth.
    static let mostMarkedNameBytes = 4096

    /// The first combining mark is U+0300, CC 80 in UTF-8; what is spelt in several ways comes behind it.
    private static func mayBeginMark(_ byte: UInt8) -> Bool { byte >= 0xCC }

    /// Whether it, or the letter that it stands on, may have another spelling: not what NFC has by itself.
    private static func hasOtherSpellings(_ scalar: Unicode.Scalar) -> Bool {
        guard !isPlain(scalar) else { return false }
        let properties = scalar.properties
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        // Vowel signs of Kirat Rai, which are letters and yet parts of others.
        default: properties.isFullCompositionExclusion || 0x16D63...0x16D6A ~= scalar.value
        }
    }

    /// Whether it is no mark and has no other spelling: to look that up for each letter of East Asia doubles what a body
    /// of them costs.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x300, 0x3041...0x3096, 0x309B...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    /// Whether a text has more marks in a row than text that is written.
    ///
    /// To compare two such texts, marks are put into their order, which takes the square of their number: seconds, for as
    /// many as a body holds.
    private static func isMarkedTooOften(_ text: String) -> Bool {
        var marks = 0
        for scalar in text.unicodeScalars {
            let isMark = !isPlain(scalar) && scalar.properties.canonicalCombiningClass != .notReordered
            marks = isMark ? marks + 1 : 0
            if marks > mostMarks { return true }
        }
        return false
    }

    /// The character that stands behind a backslash.
    private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
        guard let byte = next else { throw fault }
        if byte == UInt8(ascii: "u") { return try escapedByNumber() }
        guard let character = Self.escapes[byte] else { throw fault }
        place += 1
        return character
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
    ]

    /// Beyond U+FFFF it takes two numbers, a pair of surrogates (RFC 8259, section 7).
    private mutating func escapedByNumber() throws(JSONFault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let character = Unicode.Scalar(unit) { return character }
        guard UTF16.isLeadSurrogate(unit) else { throw .refused(.halfCharacter, at: []) }
        guard next != nil else { throw fault }
        guard take("\\") else { throw .refused(.halfCharacter, at: []) }
        guard next != nil else { throw fault }
        guard next == UInt8(ascii: "u") else { throw .refused(.halfCharacter, at: []) }
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw .refused(.halfCharacter, at: []) }
        return UTF16.decode(UTF16.EncodedScalar([unit, second]))
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        try expect("u")
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { throw fault }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }

    private mutating func number() throws(JSONFault) -> JSONNumber {
        let start = place
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits()
        }
        return JSONNumber(text: text[start..<place])
    }

    private mutating func digits() throws(JSONFault) {
        guard take(while: Self.isDigit) > 0 else { throw fault }
    }

    private mutating func word(_ word: StaticString, _ value: JSONNode) throws(JSONFault) -> JSONNode {
        for character in word.description.unicodeScalars { try expect(character) }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
