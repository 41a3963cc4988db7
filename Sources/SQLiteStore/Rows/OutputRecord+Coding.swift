import Sessions

extension OutputRecord {
    /// Outputs as they are stored: for each its name, its value and its seq; a length before the first two.
    ///
    /// Numbers are in groups of seven bits, the lowest first, the highest bit set on all but the last (LEB128). No JSON:
    /// the values are JSON text already, and are to come back byte by byte.
    static func encode(_ outputs: [OutputRecord]) -> [UInt8] {
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
    static func decode(_ bytes: [UInt8]) -> [OutputRecord]? {
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
