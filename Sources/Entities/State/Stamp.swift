import Synchronization

/// A position in an entity's change feed, and the version that the store compares before it writes.
///
/// Written as `SEQ.NONCE`, as in an ETag or `?since=`. The nonce is pseudo-random, so a stamp identifies one commit:
/// after a restore, another commit with the same `seq` has another stamp.
package struct Stamp: Hashable, Sendable {
    /// The number of the commit within its entity; 0 before the first one.
    package let seq: UInt64
    /// 64 pseudo-random bits; clients see them mixed with a digest of the outputs.
    package let nonce: UInt64

    /// The nonce is enough for the hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(nonce) }

    /// The stamp of an entity that no commit has written.
    package static let none = Stamp(seq: 0, nonce: 0)

    /// Makes a stamp of its two halves.
    package init(seq: UInt64, nonce: UInt64) { (self.seq, self.nonce) = (seq, nonce) }

    /// Draws the stamp of the next commit.
    package func next() -> Stamp { Stamp(seq: seq + 1, nonce: Nonces.next()) }

    /// The stamp that clients see if this build derives outputs with this digest; another one for each digest.
    func mixed(with digest: UInt64) -> Stamp { Stamp(seq: seq, nonce: nonce ^ StableHash.scramble(digest)) }
}

/// Draws nonces by SplitMix64 (Steele, Lea and Flood, 2014) from one random seed of the process.
///
/// A call of getrandom(2) for each commit takes half a microsecond. A nonce is no secret, so it may be guessed.
private enum Nonces {
    private static let state = Atomic(UInt64.random(in: .min ... .max))

    static func next() -> UInt64 {
        StableHash.scramble(state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue)
    }
}

extension Stamp: LosslessStringConvertible {
    /// The text form: the seq in decimal, a dot, and the nonce as 11 characters of base64url.
    package var description: String { text(between: "") }

    /// The text form in double quotes, as in an `ETag` field.
    package var entityTag: String { text(between: "\"") }

    private func text(between mark: StaticString) -> String {
        var number = String(seq)
        let alphabet = Base64URL.alphabet
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        return String(unsafeUninitializedCapacity: 36) { text in
            var count = text.initialize(fromContentsOf: mark)
            count = number.withUTF8 { text[count...].initialize(fromContentsOf: $0) }
            text[count] = UInt8(ascii: ".")
            // The first ten characters have six bits each, the last one has four.
            for shift in 0...10 {
                count += 1
                text[count] = alphabet[Int((nonce << UInt64(6 * shift)) >> 58)]
            }
            return text[(count + 1)...].initialize(fromContentsOf: mark)
        }
    }

    /// Reads the text form; nil for any text that ``description`` does not make.
    package init?(_ text: String) {
        let halves = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard halves.count == 2, let seq = UInt64(Substring(halves[0])), halves[1].count == 11 else { return nil }
        var nonce: UInt64 = 0
        for (place, character) in halves[1].enumerated() {
            guard let value = Base64URL.alphabet.firstIndex(of: character) else { return nil }
            nonce = place < 10 ? nonce << 6 | UInt64(value) : nonce << 4 | UInt64(value >> 2)
        }
        self.init(seq: seq, nonce: nonce)
        // Refuses leading zeros, a plus sign and surplus bits.
        guard description == text else { return nil }
    }
}

/// The outputs of a named entity that a caller may see: all, or those of a facet.
package struct Sight: Hashable, Sendable {
    /// The facet; nil for all outputs.
    package let facet: String?

    package static let all = Sight(facet: nil)

    package init(facet: String?) { self.facet = facet }

    /// Turns a stamp into the form that a caller sees, and back.
    ///
    /// With another sight, the shown stamp is no cursor. So a caller that may see more, or less, gets a snapshot.
    package func mix(_ stamp: Stamp) -> Stamp {
        guard let facet else { return stamp }
        var hash = StableHash()
        hash.add(Array(facet.utf8))
        return stamp.mixed(with: hash.value)
    }
}

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
