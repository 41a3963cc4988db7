extension [UInt8] {
    /// JSON text with U+0085, U+2028 and U+2029 as escapes, which stand in its strings alone (RFC 8259, section 7).
    ///
    /// No line of an event ends at one of them (WHATWG HTML, "Parsing an event stream"), but some clients split where
    /// Unicode would: the event of one user's pasted text would stop them for good.
    var withoutLineSeparators: [UInt8] {
        guard contains(where: { $0 == 0xC2 || $0 == 0xE2 }) else { return self }
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.first {
            if rest.starts(with: [0xC2, 0x85]) {
                text += "\\u0085".utf8
                rest = rest.dropFirst(2)
            } else if rest.starts(with: [0xE2, 0x80, 0xA8]) || rest.starts(with: [0xE2, 0x80, 0xA9]) {
                text += (rest[rest.startIndex + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8
                rest = rest.dropFirst(3)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
