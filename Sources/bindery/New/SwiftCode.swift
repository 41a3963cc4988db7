/// A file of Swift, so far as the place for a line in it has to be found.
struct SwiftCode {
    /// What it says.
    private let text: [UInt8]
    /// The same, byte for byte, with spaces for comments and for what stands in quotes, and an x for what is not ASCII.
    let code: String

    init(_ text: String) {
        self.text = Array(text.utf8)
        var code = self.text.map { $0 < 0x80 ? $0 : 0x78 }
        let whole = String(decoding: code, as: UTF8.self)
        // Not nested comments, nor a quote within an interpolation: a place that is found wrongly does not compile.
        let covered = /\/\/[^\n]*|\/\*(?s:.*?)\*\/|"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"/
        for match in whole.matches(of: covered) {
            let start = match.range.lowerBound.utf16Offset(in: whole)
            for place in start..<match.range.upperBound.utf16Offset(in: whole) where code[place] != 0x0A {
                code[place] = 0x20
            }
        }
        self.code = String(decoding: code, as: UTF8.self)
    }

    /// What the program is called that is declared here; nil where none is.
    var program: String? {
        code.firstMatch(of: /\b(?:struct|enum|class|extension)\s+(\w+)\s*:[^{]*?\bBinderyProgram\b/)
            .map { String($0.1) }
    }

    /// Whether a type is declared here.
    func declares(_ type: String) -> Bool {
        code.matches(of: /\b(?:class|struct|enum|actor|typealias)\s+(\w+)/).contains { $0.1 == type }
    }

    /// The text with one more element in the program's list of view models; nil where that list is not here, or is no literal.
    func hosting(_ element: String) -> String? {
        let opening = /\b(?:let|var)\s+viewModels\s*(?::\s*\[\s*Declaration\s*\]\s*)?(?:=|\{(?:\s*return\b)?)\s*\[/
        guard let match = code.firstMatch(of: opening) else { return nil }
        let code = Array(code.utf8)
        let first = match.range.upperBound.utf16Offset(in: self.code)
        guard let end = closing(from: first, in: code) else { return nil }
        let last = code[..<end].lastIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 && $0 != 0x0D } ?? first
        let isEmpty = last < first
        let comma = isEmpty || code[last] == 0x2C ? "" : ","
        // On the last element's line there may be a comment.
        guard !isEmpty, let lineEnd = code[last..<end].firstIndex(of: 0x0A) else {
            return string(text[...last]) + comma + (isEmpty ? "" : " ") + element + string(text[(last + 1)...])
        }
        let lineStart = code[..<last].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let indentation = text[lineStart...].prefix { $0 == 0x20 || $0 == 0x09 }
        return string(text[...last]) + comma + string(text[(last + 1)..<lineEnd])
            + "\n\(string(indentation))\(element)," + string(text[lineEnd...])
    }

    /// Where the bracket is that closes what was opened before a place.
    private func closing(from start: Int, in code: [UInt8]) -> Int? {
        var depth = 1
        return code[start...].firstIndex { byte in
            if "[({".utf8.contains(byte) { depth += 1 }
            if "])}".utf8.contains(byte) { depth -= 1 }
            return depth == 0
        }
    }

    private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
