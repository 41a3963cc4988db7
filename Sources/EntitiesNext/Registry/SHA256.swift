/// The secure hash of FIPS 180-4, and the keyed hash of RFC 2104 that is made of it.
package enum SHA256 {
    /// The 32 bytes of the digest.
    package static func digest(of text: [UInt8]) -> [UInt8] {
        // The text, a one bit, zeros, and the length in bits, up to a whole number of blocks.
        let zeros = (119 - text.count % 64) % 64
        var padded = text + [0x80] + [UInt8](repeating: 0, count: zeros)
        let bits = text.count * 8
        for place in (0..<8).reversed() { padded.append(UInt8(truncatingIfNeeded: bits >> (8 * place))) }
        var hash = start
        padded.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 64) {
                add(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 64]), to: &hash)
            }
        }
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        for place in 0..<8 {
            for shift in [24, 16, 8, 0] { digest.append(UInt8(truncatingIfNeeded: hash[place] >> UInt32(shift))) }
        }
        return digest
    }

    /// HMAC-SHA256: 32 bytes that nobody can compute without the key.
    package static func authenticationCode(of text: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(of: key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return digest(of: block.map { $0 ^ 0x5c } + digest(of: block.map { $0 ^ 0x36 } + text))
    }

    private static func add(_ block: UnsafeRawBufferPointer, to hash: inout SIMD8<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            for place in 0..<16 {
                words[place] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
            }
            for place in 16..<64 {
                let (early, late) = (words[place - 15], words[place - 2])
                let first = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)
                let second = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10)
                words[place] = words[place - 16] &+ first &+ words[place - 7] &+ second
            }
            var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
            var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
            constants.withUnsafeBufferPointer { constants in
                for place in 0..<64 {
                    let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
                    let first = h &+ sum1 &+ ((e & f) ^ (~e & g)) &+ constants[place] &+ words[place]
                    let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
                    let second = sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
                    (h, g, f, e) = (g, f, e, d &+ first)
                    (d, c, b, a) = (c, b, a, first &+ second)
                }
            }
            hash = hash &+ SIMD8(a, b, c, d, e, f, g, h)
        }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let start = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
