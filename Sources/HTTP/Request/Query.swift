import Foundation

/// The names and values of a query, in the order sent.
///
/// Read as `application/x-www-form-urlencoded` (WHATWG URL, section 5.1): a plus sign is a space.
package struct Query: Sendable {
    private var pairs: [(name: String, value: String)] = []

    /// Throws a 400 problem if the encoding is malformed.
    init(parsing bytes: UnsafeRawBufferPointer) throws(Problem) {
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            pairs.append((try Self.decode(part[..<equals]), try Self.decode(part[equals...].dropFirst())))
        }
    }

    private static func decode(_ encoded: Slice<UnsafeRawBufferPointer>) throws(Problem) -> String {
        let text = String(decoding: encoded, as: UTF8.self)
        guard encoded.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        guard let decoded = text.replacing("+", with: " ").removingPercentEncoding else {
            throw Problem(
                "malformed-query", status: 400, title: "Malformed query",
                detail: "The query is not percent-encoded UTF-8: write each % as %25 and check the digits after it.")
        }
        return decoded
    }

    /// The first value of that name; empty if it came without one.
    package subscript(name: String) -> String? { pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    /// All values of that name.
    package func values(of name: String) -> [String] {
        // By bytes: Unicode calls different bytes equal, too.
        pairs.lazy.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    /// The names, each as often as it came.
    package var names: [String] { pairs.map(\.name) }
}
