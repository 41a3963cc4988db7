import Foundation

/// A JSON value (RFC 8259).
public enum JSONValue: Hashable, Sendable {
    /// The word `null`.
    case null
    /// The word `true` or `false`.
    case boolean(Bool)
    /// The text of a number (RFC 8259, section 6), so that no digit is lost before its type is known.
    case number(String)
    /// Text without quotes and escapes.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Members by name.
    case object(JSONObject)

    /// Reads a text that is one JSON value in UTF-8.
    ///
    /// - Parameter isBody: whether it is the body of a request, which has one more limit (``JSONParser/mostMarks``).
    package init(parsing text: [UInt8], isBody: Bool = false) throws(InputFault) {
        self = try JSONParser.parse(text, isBody: isBody)
    }

    /// The value as compact JSON text.
    package var text: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// Appends the value as compact JSON text with sorted members.
    @usableFromInline
    func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .boolean(let boolean): text.append(contentsOf: (boolean ? "true" : "false").utf8)
        case .number(var number): number.withUTF8 { text.append(contentsOf: $0) }
        case .string(let string): Self.append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                element.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object):
            text.append(UInt8(ascii: "{"))
            for (place, name) in object.names.enumerated() {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                Self.append(name, to: &text)
                text.append(UInt8(ascii: ":"))
                (object[name] ?? .null).append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a text with its quotes and escapes.
    static func append(_ string: String, to text: inout [UInt8]) {
        var string = string
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var start = 0
            for place in bytes.indices {
                let byte = bytes[place]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                text.append(contentsOf: bytes[start..<place])
                text.append(UInt8(ascii: "\\"))
                start = place + 1
                switch byte {
                case 0x09: text.append(UInt8(ascii: "t"))
                case 0x0A: text.append(UInt8(ascii: "n"))
                case 0x0D: text.append(UInt8(ascii: "r"))
                case ..<0x20:
                    text.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
                    text.append(contentsOf: String(byte, radix: 16).utf8)
                default: text.append(byte)
                }
            }
            text.append(contentsOf: bytes[start...])
        }
        text.append(UInt8(ascii: "\""))
    }
}

/// The members of a JSON object by name.
///
/// A migration sees a stored model in this form; see ``StoredModel/migrate(_:from:)``.
public typealias JSONObject = [String: JSONValue]

extension JSONObject {
    /// The names of the members, sorted.
    public var names: [String] { keys.sorted() }

    /// The value of a member as a Swift value; a missing member is null.
    ///
    /// - Throws: an error if the member has another shape.
    public func decode<Member: Decodable>(_ name: String, as type: Member.Type = Member.self) throws -> Member {
        try JSONValueDecoder(self[name] ?? .null, path: [name]).decode(type)
    }

    /// Sets a member to a Swift value.
    ///
    /// - Throws: an error if the value has no JSON form.
    public mutating func set(_ name: String, to value: some Encodable) throws {
        self[name] = try JSONValue(parsing: JSON.encode(value))
    }

    /// Renames a member, if there is one; it replaces a member with the new name.
    public mutating func rename(_ name: String, to newName: String) {
        if let value = removeValue(forKey: name) { self[newName] = value }
    }
}

/// A type whose JSON is one value without parts.
///
/// Encoder, decoder and schemas share this list, so they agree. A `Date` is the number of seconds since
/// 2001-01-01T00:00:00Z, `Data` is text in base64, and a `Decimal` is a number with all its digits.
protocol JSONScalar: Shaped {
    /// The value; nil if the JSON value has another shape.
    static func read(_ json: JSONValue) -> Self?
    /// The JSON value; nil for a number that is not finite.
    var json: JSONValue? { get }
}

extension Bool: JSONScalar {
    static var schema: JSONSchema { .boolean }
    static func read(_ json: JSONValue) -> Bool? { if case .boolean(let boolean) = json { boolean } else { nil } }
    var json: JSONValue? { .boolean(self) }
}

extension String: JSONScalar {
    static var schema: JSONSchema { .string }
    static func read(_ json: JSONValue) -> String? { if case .string(let string) = json { string } else { nil } }
    var json: JSONValue? { .string(self) }
}

extension JSONScalar where Self: FixedWidthInteger {
    static var schema: JSONSchema { .integer(Int128(Self.min)...Int128(Self.max)) }
    static func read(_ json: JSONValue) -> Self? { json.integer.flatMap { Self(exactly: $0) } }
    var json: JSONValue? { .number(String(self)) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static var schema: JSONSchema { .number }

    static func read(_ json: JSONValue) -> Self? {
        json.number.flatMap { Self($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The shortest digits that read as the same number; a whole number has no fraction.
    var json: JSONValue? {
        guard isFinite else { return nil }
        var text = String(self)
        return text.withUTF8 { bytes in
            let isWhole = bytes.suffix(2).elementsEqual(".0".utf8)
            return .number(String(decoding: bytes.dropLast(isWhole ? 2 : 0), as: UTF8.self))
        }
    }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}

extension Decimal: JSONScalar {
    static var schema: JSONSchema { .number }
    static func read(_ json: JSONValue) -> Decimal? { json.number.flatMap { Decimal(string: $0) } }
    var json: JSONValue? { isNaN ? nil : .number(description) }
}

extension Date: JSONScalar {
    static var schema: JSONSchema { .date }
    static func read(_ json: JSONValue) -> Date? { Double.read(json).map(Date.init(timeIntervalSinceReferenceDate:)) }
    var json: JSONValue? { timeIntervalSinceReferenceDate.json }
}

extension UUID: JSONScalar {
    static var schema: JSONSchema { .uuid }
    static func read(_ json: JSONValue) -> UUID? { String.read(json).flatMap(UUID.init(uuidString:)) }
    var json: JSONValue? { .string(uuidString) }
}

extension URL: JSONScalar {
    init() { self.init(filePath: "/") }
    static var schema: JSONSchema { .url }
    static func read(_ json: JSONValue) -> URL? { String.read(json).flatMap { URL(string: $0) } }
    var json: JSONValue? { .string(absoluteString) }
}

extension Data: JSONScalar {
    static var schema: JSONSchema { .base64 }
    static func read(_ json: JSONValue) -> Data? { String.read(json).flatMap { Data(base64Encoded: $0) } }
    var json: JSONValue? { .string(base64EncodedString()) }
}

extension JSONValue {
    /// The text of a number.
    fileprivate var number: String? { if case .number(let number) = self { number } else { nil } }

    /// The whole number; nil if it has an exponent, a fraction other than zeros, or more than 127 bits.
    var integer: Int128? {
        guard let number else { return nil }
        if let integer = Int128(number) { return integer }
        let parts = number.split(separator: ".")
        return parts.count == 2 && parts[1].allSatisfy({ $0 == "0" }) ? Int128(parts[0]) : nil
    }
}
