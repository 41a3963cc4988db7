/// A number as JSON text has it, with every digit: rounding must not make a whole number of one that is none.
struct JSONNumber {
    /// The text, by the grammar of RFC 8259, section 6.
    let text: ArraySlice<UInt8>

    /// The nearest number of the type; nil where that is infinite.
    func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(as type: Number.Type) -> Number? {
        Number(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The whole number it is, however it is spelt (`1e2`, `10.0`); nil where it is none or the type does not hold it.
    func whole<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
        if let digits = plainDigits { return Number(exactly: digits) }
        guard let magnitude else { return nil }
        guard text.first == UInt8(ascii: "-"), magnitude > 0 else { return Number(exactly: magnitude) }
        // A type holds one more below zero than above.
        guard Number.isSigned, let number = Number(exactly: magnitude - 1) else { return nil }
        return -1 - number
    }

    /// The number, where it is no more than a few digits, as most are.
    private var plainDigits: Int? {
        guard text.count <= 18 else { return nil }
        var number = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// Without its sign, where it is a whole number of at most 128 bits.
    private var magnitude: UInt128? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let places = parts[0].drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        var digits = Array(places.joined().drop { $0 == Self.zero })
        guard !digits.isEmpty else { return 0 }
        let fraction = places.count == 2 ? places[1].count : 0
        // Beyond that, it has more digits or more places than a body has bytes.
        let exponent = parts.count == 2 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard let exponent, exponent.magnitude < UInt(Int32.max) else { return nil }
        var zeros = exponent - fraction
        while digits.last == Self.zero {
            digits.removeLast()
            zeros += 1
        }
        guard zeros >= 0, digits.count + zeros <= Self.mostDigits else { return nil }
        return UInt128(String(decoding: digits + Array(repeating: Self.zero, count: zeros), as: UTF8.self))
    }

    private static let zero = UInt8(ascii: "0")
    private static let mostDigits = String(UInt128.max).utf8.count
}
