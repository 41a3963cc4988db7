/// A type some of whose values are so plain that their JSON text can be written down without an encoder.
///
/// Outputs are mostly such values, and an encoder costs some 0.3 µs each: as much as everything else an action does to
/// an output. The text is the encoder's to the byte, which a test holds it to; whatever is not plain is left to it.
protocol PlainJSON {
    /// The JSON text; nil where an encoder has to find it.
    var plainJSON: [UInt8]? { get }
}

extension Bool: PlainJSON {
    var plainJSON: [UInt8]? { Array((self ? "true" : "false").utf8) }
}

extension Int: PlainJSON {
    var plainJSON: [UInt8]? { Array(String(self).utf8) }
}

extension Double: PlainJSON {
    /// Whole numbers that a double holds exactly, and halves; minus zero is neither.
    var plainJSON: [UInt8]? {
        guard magnitude < 1_000_000_000, bitPattern != (-0.0).bitPattern else { return nil }
        if self == rounded() { return Array(String(Int(self)).utf8) }
        return (self * 2).rounded() == self * 2 ? Array(description.utf8) : nil
    }
}

extension String: PlainJSON {
    /// Printable ASCII that needs no escaping.
    var plainJSON: [UInt8]? {
        let quote = UInt8(ascii: "\"")
        guard utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != quote && $0 != UInt8(ascii: "\\") }) else {
            return nil
        }
        var text: [UInt8] = []
        text.reserveCapacity(utf8.count + 2)
        text.append(quote)
        text.append(contentsOf: utf8)
        text.append(quote)
        return text
    }
}
