import Foundation

@testable import ViewModels

/// A slow reader of JSON: tokens by the expressions of RFC 8259, then what is innermost becomes a value, until one is left.
enum JSONTwin {
    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self), var tokens = tokens(of: text) else { return false }
        while true {
            let reduced = tokens.replacing(/\{(S:[SV](,S:[SV])*)?\}|\[([SV](,[SV])*)?\]/, with: "V")
            if reduced == tokens { return tokens == "S" || tokens == "V" }
            tokens = reduced
        }
    }

    /// A letter for each: S for a string, V for any other value, the six structural characters for themselves.
    private static func tokens(of text: String) -> String? {
        let space = /[ \t\n\r]+/.matchingSemantics(.unicodeScalar)
        let string = /"([^"\\\u{0}-\u{1F}]|\\["\\\/bfnrt]|\\u[0-9A-Fa-f]{4})*+"/.matchingSemantics(.unicodeScalar)
        let value = /true|false|null|-?(0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+\-]?[0-9]++)?/
            .matchingSemantics(.unicodeScalar)
        var tokens = ""
        var rest = text[...]
        while let first = rest.unicodeScalars.first {
            if let match = rest.prefixMatch(of: space) {
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: string) {
                tokens += "S"
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: value) {
                tokens += "V"
                rest = rest[match.range.upperBound...]
            } else if "{}[],:".unicodeScalars.contains(first) {
                tokens.unicodeScalars.append(first)
                rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
            } else {
                return nil
            }
        }
        return tokens
    }

    /// Whether what JSONSerialization made is the same value.
    static func isEqual(_ node: JSONNode, _ object: Any) -> Bool {
        switch node {
        case .null: return object is NSNull
        case .boolean(let boolean): return (object as? NSNumber)?.boolValue == boolean
        // By way of a decimal number of 38 digits, which loses the last bits, or all of them.
        case .number(let number):
            guard let found = (object as? NSNumber)?.doubleValue else { return false }
            guard let number = number.real(as: Double.self) else { return true }
            return abs(found - number) <= max(abs(number) * 1e-14, 1e-120)
        case .string(let text): return object as? String == text
        case .array(let elements):
            guard let found = object as? [Any] else { return false }
            return found.count == elements.count && zip(elements, found).allSatisfy(isEqual)
        case .object(let members):
            guard let found = object as? [String: Any] else { return false }
            return found.count == members.names.count
                && members.names.allSatisfy { name in found[name].map { isEqual(members[name] ?? .null, $0) } ?? false }
        }
    }
}
