import Entities

/// The byte form of the columns `parts` and `ring`.
///
/// Each begins with a byte that names the form. Numbers are unsigned LEB128; a nonce is eight bytes, the lowest first.
/// A part is its name, version, stamp and state, with lengths before name and state. A ring is its stamps, oldest first, each
/// seq as the difference to the one before.
package enum RowForm {
    /// The form that this build writes.
    static let form: UInt8 = 1

    /// The columns of a row.
    package static func encode(_ row: StoredEntity) -> (parts: [UInt8], ring: [UInt8]) {
        let size = row.parts.reduce(0) { $0 + $1.state.count }
        var parts: [UInt8] = []
        parts.reserveCapacity(size + row.parts.reduce(1) { $0 + $1.name.utf8.count + 24 })
        parts.append(form)
        for part in row.parts {
            append(UInt64(part.name.utf8.count), to: &parts)
            parts.append(contentsOf: part.name.utf8)
            append(UInt64(bitPattern: Int64(part.version)), to: &parts)
            append(part.stamp, after: 0, to: &parts)
            append(UInt64(part.state.count), to: &parts)
            parts.append(contentsOf: part.state)
        }
        var ring: [UInt8] = []
        ring.reserveCapacity(12 + row.ring.count * 10)
        ring.append(form)
        var last: UInt64 = 0
        for stamp in row.ring {
            append(stamp, after: last, to: &ring)
            last = stamp.seq
        }
        return (parts, ring)
    }

    /// The entity in a row; nil for bytes of another form, or damaged ones.
    package static func entity(
        _ id: EntityID, head: Stamp, ring: [UInt8], language: String, parts: [UInt8]
    ) -> StoredEntity? {
        guard let ring = Self.ring(ring), let parts = Self.parts(parts) else { return nil }
        return StoredEntity(id: id, head: head, ring: ring, language: language, parts: parts)
    }

    /// Reads the column `parts`; nil for bytes of another form, or damaged ones.
    package static func parts(_ bytes: [UInt8]) -> [StoredPart]? {
        guard bytes.first == form else { return nil }
        var rest = bytes.dropFirst()
        var parts: [StoredPart] = []
        while !rest.isEmpty {
            guard let name = takeBytes(from: &rest), let version = takeNumber(from: &rest),
                let stamp = takeStamp(after: 0, from: &rest), let state = takeBytes(from: &rest)
            else { return nil }
            parts.append(
                StoredPart(
                    name: String(decoding: name, as: UTF8.self), version: Int(Int64(bitPattern: version)),
                    state: Array(state), stamp: stamp))
        }
        return parts
    }

    /// Reads the column `ring`; nil for bytes of another form, or damaged ones.
    package static func ring(_ bytes: [UInt8]) -> [Stamp]? {
        guard bytes.first == form else { return nil }
        var rest = bytes.dropFirst()
        var stamps: [Stamp] = []
        while !rest.isEmpty {
            guard let stamp = takeStamp(after: stamps.last?.seq ?? 0, from: &rest) else { return nil }
            stamps.append(stamp)
        }
        return stamps
    }

    private static func append(_ stamp: Stamp, after seq: UInt64, to bytes: inout [UInt8]) {
        append(stamp.seq &- seq, to: &bytes)
        withUnsafeBytes(of: stamp.nonce.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func takeStamp(after seq: UInt64, from bytes: inout ArraySlice<UInt8>) -> Stamp? {
        guard let difference = takeNumber(from: &bytes), bytes.count >= 8 else { return nil }
        let nonce = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(8)
        return Stamp(seq: seq &+ difference, nonce: nonce)
    }

    private static func takeNumber(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            let group = UInt64(byte & 0x7f)
            // Ten groups have 70 bits: the upper six are zero.
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
