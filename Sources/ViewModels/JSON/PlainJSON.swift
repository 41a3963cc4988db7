/// A type some of whose values are so plain that their JSON text can be written down without an encoder.
///
/// Outputs are mostly such values, and an encoder costs some 0.3 µs each: as much as everything else an action does to
/// an output. The text is the encoder's to the byte, which a test holds it to; whatever is not plain is left to it.
protocol PlainJSON {
    /// Appends the JSON text; false, with nothing appended, where an encoder has to find it.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool
}

extension PlainJSON {
    /// The JSON text; nil where an encoder has to find it.
    var plainJSON: [UInt8]? {
        var text: [UInt8] = []
        return appendPlainJSON(to: &text) ? text : nil
    }
}

/// JSON's `null`.
struct PlainNull: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: "null".utf8)
        return true
    }
}

extension Bool: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: (self ? "true" : "false").utf8)
        return true
    }
}

extension Int: PlainJSON {
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        text.append(contentsOf: String(self).utf8)
        return true
    }
}

extension Double: PlainJSON {
    /// Whole numbers that a double holds exactly, and halves; minus zero is neither.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        guard magnitude < 1_000_000_000, bitPattern != (-0.0).bitPattern else { return false }
        if self == rounded() { return Int(self).appendPlainJSON(to: &text) }
        guard (self * 2).rounded() == self * 2 else { return false }
        text.append(contentsOf: description.utf8)
        return true
    }
}

extension String: PlainJSON {
    /// Printable ASCII that needs no escaping.
    func appendPlainJSON(to text: inout [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != quote && $0 != UInt8(ascii: "\\") }) else {
            return false
        }
        text.reserveCapacity(text.count + utf8.count + 2)
        text.append(quote)
        text.append(contentsOf: utf8)
        text.append(quote)
        return true
    }
}
