import ViewModels

extension YAML {
    /// The document in block style, two spaces a level.
    var document: String { block(indent: 0).trimmingPrefix("\n") + "\n" }

    /// The value as it stands behind a key or a dash: on the same line, or on lines of its own.
    private func block(indent: Int) -> String {
        let margin = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .list(let items) where !items.isEmpty:
            return items.map { item in
                let text = item.block(indent: indent + 2)
                let isNested = text.hasPrefix("\n")
                return margin + "- " + (isNested ? String(text.dropFirst(indent + 3)) : text)
            }.joined()
        case .map(let members) where !members.isEmpty:
            return members.map { member in
                let text = member.value.block(indent: indent + 2)
                return margin + Self.scalar(member.key) + ":" + (text.hasPrefix("\n") ? text : " " + text)
            }.joined()
        case .list: return "[]"
        case .map: return "{}"
        case .text(let text): return Self.scalar(text)
        case .integer(let number): return String(number)
        case .boolean(let truth): return String(truth)
        case .json(let json): return Self.printable(String(decoding: json, as: UTF8.self))
        }
    }

    /// Text as it is where that cannot be misread, else in double quotes, whose escapes are JSON's.
    private static func scalar(_ text: String) -> String {
        isPlain(text) ? text : printable(JSON.text(text))
    }

    /// JSON text with what is not printable escaped, which stands in its strings alone (YAML 1.2.2, section 5.1).
    private static func printable(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { !isPrintable($0) }) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            if isPrintable(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x85: true
        case 0x7F...0x9F, 0xFEFF, 0xFFFE...0xFFFF: false
        default: true
        }
    }

    /// Whether text begins with a letter or a slash, has nothing in it that YAML gives a meaning to, and is no word that
    /// YAML reads as another type.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || first == UInt8(ascii: "/"), text.utf8.last != 0x20 else {
            return false
        }
        let isHarmless = text.utf8.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || harmless.contains(byte)
        }
        return isHarmless && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    }

    private static let harmless = Set(" _./{}'()+;,-".utf8)

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
