import Foundation

/// A type of the standard library or of Foundation whose schema is known.
protocol Shaped {
    /// Makes any value; the search for the schema of a containing type uses it.
    init()
    static var schema: JSONSchema { get throws }
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

extension Optional: Shaped where Wrapped: Decodable {
    init() { self = nil }
    static var schema: JSONSchema { get throws { try JSONSchema(of: Wrapped.self).orNull } }
}

extension Array: Shaped where Element: Decodable {
    static var schema: JSONSchema { get throws { .array(try naming("*") { try JSONSchema(of: Element.self) }) } }
}

extension Dictionary: Shaped where Key == String, Value: Decodable {
    static var schema: JSONSchema { get throws { .dictionary(try naming("*") { try JSONSchema(of: Value.self) }) } }
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
