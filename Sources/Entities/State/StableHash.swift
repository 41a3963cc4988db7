/// A 64-bit hash that is the same in every build and on every machine.
///
/// It shows whether two builds derive different outputs from one stored state. It does not resist an attacker, and need
/// not: a collision would hide a change of the build, never a commit.
struct StableHash: Sendable {
    private(set) var value: UInt64

    init(seed: UInt64 = 0xcbf2_9ce4_8422_2325) { value = seed }

    /// Adds bytes and their number, so that two texts one after the other differ from one longer text.
    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
                place += 8
            }
            var rest = UInt64(bytes.count) << 56
            for (shift, byte) in bytes[place...].enumerated() { rest |= UInt64(byte) << UInt64(8 * shift) }
            add(rest)
            add(UInt64(bytes.count))
        }
    }

    private mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
        value ^= value >> 29
    }

    /// Spreads each bit over all others; a bijection (the finalizer of SplitMix64; Steele, Lea, Flood 2014).
    static func scramble(_ word: UInt64) -> UInt64 {
        var mixed = word
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
