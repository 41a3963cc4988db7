import Sessions

extension SessionID {
    /// The name as it is stored: a digest as its 32 bytes, half of its digits, and any other name as text.
    enum Column: Equatable {
        case digest([UInt8])
        case text(String)
    }

    var column: Column {
        let digits = rawValue.utf8
        guard digits.count == 64 else { return .text(rawValue) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(digit) else { return .text(rawValue) }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return .digest(bytes)
    }

    init(_ column: Column) {
        switch column {
        case .text(let text): self.init(rawValue: text)
        case .digest(let bytes):
            let digits = Array("0123456789abcdef".utf8)
            self.init(
                rawValue: String(
                    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))
        }
    }

    /// Lower case only: two names that differ must not become one.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Statement {
    /// Binds the name of a session.
    func bind(_ id: SessionID, _ index: Int32) throws(SQLiteFailure) {
        switch id.column {
        case .digest(let bytes): try bind(bytes, index)
        case .text(let text): try bind(text, index)
        }
    }

    /// The name of a session in a column.
    func sessionID(_ column: Int32) -> SessionID {
        SessionID(isBytes(column) ? .digest(bytes(column)) : .text(text(column)))
    }
}
