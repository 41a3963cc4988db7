/// ASCII by bytes, because comparing texts takes much longer.
extension UInt8 {
    /// A space or a tab: the white space within a field's value (RFC 9110, section 5.6.3).
    @inlinable package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// `0` to `9`.
    @inlinable package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// `A` to `Z` as `a` to `z`; any other byte as it is.
    @inlinable package var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Substring {
    /// The text without the blanks around it.
    package var trimmed: Substring {
        var rest = utf8.drop { $0.isBlank }
        while rest.last?.isBlank == true { rest.removeLast() }
        return Substring(rest)
    }
}
