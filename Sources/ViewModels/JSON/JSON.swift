import Foundation

/// JSON text (RFC 8259) to and from Swift values, by Foundation's encoder and Bindery's decoder.
///
/// Everywhere the same, in bodies, outputs and stored models: a `Date` is a number, the seconds since 2001-01-01T00:00:00Z;
/// `Data` is text in base64; a `UUID` and a `URL` are text; a `Decimal` is a number with all its digits. What is nil is left
/// out of an object, unless its type writes it, and null elsewhere; in a body both are nil. An enumeration is its raw value, or
/// an object of one member, named as the case, that has an object with what the case holds.
///
/// Safe from any thread.
public enum JSON {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    /// The value as compact JSON text, the members of objects sorted, so that equal values give equal text, but for a set, and for a
    /// dictionary whose keys cannot be names.
    ///
    /// - Throws: `EncodingError`, as for a number that is not finite.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        try plain(value) ?? finite(Array(encoder.encode(value)), of: value)
    }

    /// The text, once it is known to be JSON: Foundation writes a `Decimal` that is not a number as `NaN`, without an error.
    private static func finite(_ text: [UInt8], of value: some Encodable) throws -> [UInt8] {
        guard hasNaN(text) else { return text }
        do { _ = try JSONGrammar.read(text) } catch JSONFault.unexpected {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: [], debugDescription: "It has a Decimal that is not a number."))
        }
        return text
    }

    /// Whether the word is anywhere in it; byte by byte, as a collection's search for a range costs as much as the encoding.
    private static func hasNaN(_ text: [UInt8]) -> Bool {
        let word = Array("NaN".utf8)
        return text.indices.contains { text[$0] == word[0] && text[$0...].starts(with: word) }
    }

    /// A text as JSON text, in its quotes.
    package static func text(_ text: String) -> String { String(decoding: bytes(of: text), as: UTF8.self) }

    /// The same as bytes.
    package static func bytes(of text: String) -> [UInt8] {
        // A text is always encoded.
        (try? encode(text)) ?? []
    }

    /// Type by type, which a compiler that knows the type does beforehand; a cast to the protocol is made at run time.
    private static func plain(_ value: some Encodable) -> [UInt8]? {
        switch value {
        case let value as String: value.plainJSON
        case let value as Bool: value.plainJSON
        case let value as Int: value.plainJSON
        case let value as Double: value.plainJSON
        default: nil
        }
    }

    /// The same, faster for an object whose members are plain.
    static func encode(object: some Encodable) throws -> [UInt8] {
        if let text = FlatEncoder.encode(object) { return text }
        return try finite(Array(encoder.encode(object)), of: object)
    }

    /// The value that JSON text stands for.
    ///
    /// - Throws: `DecodingError`, or `JSONFault` where it is not JSON text.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try JSONNodeDecoder(node: JSONGrammar.read(text)).decode(type)
    }

    /// An object with members in the order given, each value already JSON text.
    ///
    /// - Parameter value: the value of the name at a place.
    public static func object(_ names: [Name], value: (Int) -> [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(names.count * 24 + 2)
        text.append(UInt8(ascii: "{"))
        for place in names.indices {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: names[place].jsonKey)
            text.append(contentsOf: value(place))
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Bytes: an answer is never much longer than its question.
    static let longestPointer = 256

    /// The path as a JSON Pointer in URI fragment form (RFC 6901, section 6), as RFC 9457 shows it: `#/member/0`.
    ///
    /// One of more than ``longestPointer`` bytes is cut there, and ends in `…`, which no pointer has.
    static func pointer(to path: [String]) -> String {
        var pointer = "#"
        func append(_ piece: String) -> Bool {
            guard pointer.utf8.count + piece.utf8.count <= longestPointer else { return false }
            pointer += piece
            return true
        }
        for token in path {
            let isWhole = append("/") && token.unicodeScalars.allSatisfy { append(escaped($0)) }
            guard isWhole else { return pointer + "…" }
        }
        return pointer
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "~": "~0"
        case "/": "~1"
        default: String(scalar).addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? ""
        }
    }
}

/// Why text is not JSON that can be trusted to mean one thing.
enum JSONFault: Error, Hashable {
    /// There is nothing but white space.
    case empty
    /// It begins with U+FEFF, which RFC 8259, section 8.1, forbids.
    case byteOrderMark
    /// It is no UTF-8.
    case notUTF8
    /// It ends before its value does.
    case unfinished
    /// This byte, counted from 1, cannot stand there.
    case unexpected(byte: Int)
    /// It is JSON by the grammar, and refused all the same for what is at this path.
    case refused(Refusal, at: [String])

    /// What the grammar allows and not every reader takes for the same, or takes at all.
    enum Refusal: Hashable {
        /// A text escapes half of a surrogate pair, which is no character (RFC 8259, section 8.2).
        case halfCharacter
        /// A text has more than ``JSONGrammar/mostMarks`` combining marks in a row.
        case tooManyMarks
        /// The names with combining marks are longer in all than ``JSONGrammar/mostMarkedNameBytes``.
        case tooLongMarkedNames
        /// Lists and objects are nested deeper than ``JSONGrammar/deepest``.
        case tooDeep
        /// An object has a member twice: readers differ in which counts (RFC 8259, section 4).
        case doubled
    }
}

/// The name of an object's member, which is what it is by its bytes.
///
/// To a `String`, two spellings that Unicode calls equivalent are one, and U+212A is the letter K; to every other reader of
/// JSON they are two names (RFC 8259, section 8.3).
struct MemberName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: MemberName, right: MemberName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension CodingKey {
    /// The name of a member, or a place in a list, which the standard library calls "Index 2".
    var name: String {
        guard let intValue, stringValue == "Index \(intValue)" else { return stringValue }
        return String(intValue)
    }
}

extension DecodingError {
    /// The keys that lead to the failure, whether a value is missing there, and the underlying error.
    var place: (keys: [any CodingKey], isMissing: Bool, error: (any Error)?)? {
        switch self {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            (context.codingPath, false, context.underlyingError)
        case .valueNotFound(_, let context): (context.codingPath, true, context.underlyingError)
        case .keyNotFound(let key, let context): (context.codingPath + [key], true, context.underlyingError)
        @unknown default: nil
        }
    }

    /// What the `init(from:)` that threw it says of it; empty for nothing, as of the decoder itself.
    var words: String {
        switch self {
        case .typeMismatch(_, let context), .dataCorrupted(let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context.debugDescription
        @unknown default: ""
        }
    }
}

extension EncodingError {
    /// What cannot be encoded, where it stands and why.
    var complaint: String {
        guard case .invalidValue(_, let context) = self else { return "\(self)" }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        return path.isEmpty ? context.debugDescription : "its member \(path): \(context.debugDescription)"
    }
}

extension String {
    /// A sentence that goes on.
    var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
