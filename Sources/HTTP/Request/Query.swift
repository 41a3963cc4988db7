/// The names and values of a request's query, in the order sent.
///
/// Read as `application/x-www-form-urlencoded` (WHATWG URL, section 5.1): a plus sign is a space.
public struct Query: Sendable, Equatable {
    private struct Pair: Sendable, Equatable {
        let name: String
        let value: String

        /// By its bytes: to a `String`, what Unicode calls equivalent is one name, and finding that out takes its time.
        func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
    }

    private var pairs: [Pair] = []

    init() {}

    /// Throws a 400 problem where the encoding is malformed.
    init(parsing bytes: UnsafeRawBufferPointer) throws(Problem) {
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = try Self.decode(part[..<equals])
            let value = try Self.decode(part[equals...].dropFirst())
            pairs.append(Pair(name: name, value: value))
        }
    }

    /// The first value of that name; empty where it came without one, nil where it did not come.
    public subscript(name: String) -> String? {
        pairs.first { $0.isNamed(name) }?.value
    }

    /// All values of that name: more than one where it was repeated.
    public func values(of name: String) -> [String] {
        pairs.lazy.filter { $0.isNamed(name) }.map(\.value)
    }

    /// The names, each as often as it came.
    public var names: [String] { pairs.map(\.name) }

    /// Whether there are none.
    public var isEmpty: Bool { pairs.isEmpty }

    private static func decode(_ encoded: Slice<UnsafeRawBufferPointer>) throws(Problem) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                    throw .malformedQuery
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformedQuery }
        return text
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Problem {
    fileprivate static var malformedQuery: Problem {
        Problem(
            "malformed-query", status: 400, title: "Malformed query",
            detail: "The query is not percent-encoded UTF-8: write each % as %25 and check the digits after it.")
    }
}
