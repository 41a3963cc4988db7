import ViewModels

/// Texts of a YAML 1.2 document: JSON is YAML, but for a few characters that YAML does not print.
enum YAMLText {
    /// A text in double quotes, so that YAML reads it as nothing else.
    static func quoted(_ text: String) -> String {
        // A String always encodes.
        printable((try? JSON.encode(text)) ?? Array(#""""#.utf8))
    }

    /// JSON text with the characters escaped that YAML does not print; they stand in its strings alone (YAML 1.2.2, 5.1).
    static func printable(_ json: [UInt8]) -> String {
        let text = String(decoding: json, as: UTF8.self)
        guard text.unicodeScalars.contains(where: { !isPrintable($0) }) else { return text }
        return text.unicodeScalars.reduce(into: "") { text, scalar in
            guard !isPrintable(scalar) else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// A list of texts on one line.
    static func list(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ", ") + "]" }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x85: true
        case 0x7F...0x9F, 0xFEFF, 0xFFFE...0xFFFF: false
        default: true
        }
    }
}
