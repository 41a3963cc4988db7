import Sessions

extension SessionID {
    /// The name as it is stored: a digest as its 32 bytes, half of its digits, and any other name as text.
    package enum Column: Equatable {
        case digest([UInt8])
        case text(String)
    }

    /// The name as it is stored.
    package var column: Column {
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

    /// Takes a name back.
    package init(_ column: Column) {
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

extension CommitVersion {
    /// Sixteen bytes: the number and the nonce, the highest byte first.
    package var encoded: [UInt8] { number.bigEndianBytes + nonce.bigEndianBytes }

    /// Reads what ``encoded`` wrote; nil where it did not write these bytes.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(number: UInt64(bigEndianBytes: bytes[..<8]), nonce: UInt64(bigEndianBytes: bytes[8...]))
    }
}

extension SessionHistory {
    /// The incarnation, then for each chapter its first commit and its epoch with a length before it.
    package var encoded: [UInt8] {
        chapters.reduce(into: incarnation.bigEndianBytes) { bytes, chapter in
            bytes += chapter.first.bigEndianBytes
            bytes.append(UInt8(chapter.epoch.rawValue.utf8.count))
            bytes += chapter.epoch.rawValue.utf8
        }
    }

    /// Reads what ``encoded`` wrote; nil where it did not write these bytes.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        var chapters: [Chapter] = []
        var rest = bytes[8...]
        while !rest.isEmpty {
            guard rest.count > 9 else { return nil }
            let first = UInt64(bigEndianBytes: rest.prefix(8))
            let length = Int(rest[rest.startIndex + 8])
            rest = rest.dropFirst(9)
            guard rest.count >= length, let epoch = Epoch(String(decoding: rest.prefix(length), as: UTF8.self)) else {
                return nil
            }
            chapters.append(Chapter(epoch: epoch, first: first))
            rest = rest.dropFirst(length)
        }
        self.init(chapters: chapters, incarnation: UInt64(bigEndianBytes: bytes[..<8]))
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension InitialDigests {
    /// The digests as they are stored, four bytes each, the highest first.
    package var column: [UInt8] {
        digests.flatMap { digest in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: digest >> $0) } }
    }

    /// Reads what ``column`` wrote, nothing being what is not known.
    package init(column: [UInt8]) {
        self.init(
            digests: stride(from: 0, to: column.count - column.count % 4, by: 4).map { start in
                column[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            })
    }
}

extension OutputRecord {
    /// Outputs as they are stored: for each its name, its value and its seq; a length before the first two.
    ///
    /// Numbers are in groups of seven bits, the lowest first, the highest bit set on all but the last (LEB128). No JSON:
    /// the values are JSON text already, and are to come back byte by byte.
    package static func encode(_ outputs: [OutputRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(outputs.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 8 })
        for output in outputs {
            append(UInt64(output.name.utf8.count), to: &bytes)
            bytes.append(contentsOf: output.name.utf8)
            append(UInt64(output.value.count), to: &bytes)
            bytes.append(contentsOf: output.value)
            append(output.seq, to: &bytes)
        }
        return bytes
    }

    /// Reads what ``encode(_:)`` wrote.
    ///
    /// - Returns: nil where it did not write these bytes.
    package static func decode(_ bytes: [UInt8]) -> [OutputRecord]? {
        var rest = bytes[...]
        var outputs: [OutputRecord] = []
        while !rest.isEmpty {
            guard let name = takeBytes(from: &rest), let value = takeBytes(from: &rest),
                let seq = takeNumber(from: &rest)
            else { return nil }
            outputs.append(OutputRecord(name: String(decoding: name, as: UTF8.self), value: Array(value), seq: seq))
        }
        return outputs
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func takeNumber(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            let group = UInt64(byte & 0x7f)
            // Ten groups hold 70 bits; what does not fit was not written here.
            guard (group << shift) >> shift == group else { return nil }
            number |= group << shift
            if byte & 0x80 == 0 { return number }
        }
        return nil
    }

    private static func takeBytes(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = takeNumber(from: &bytes), count <= UInt64(bytes.count) else { return nil }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return bytes.prefix(Int(count))
    }
}
