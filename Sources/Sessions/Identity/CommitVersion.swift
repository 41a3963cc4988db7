import Synchronization

/// A mark unique to each commit of a session, by which stores compare and set; never shown.
///
/// A position in the feed would not do: two commits that are made from the same one by two writers have the same number,
/// and what was made from the one must not be stored on top of the other. And a step that only remembers an outcome has no
/// number of its own.
public struct CommitVersion: Hashable, Sendable {
    /// How many commits of the session came before, those without a visible change too.
    public let number: UInt64
    /// Tells it from every other of the same number; 0 for what a build stored that knew no versions.
    public let nonce: UInt64

    /// Takes a version back from a store.
    public init(number: UInt64, nonce: UInt64) {
        self.number = number
        self.nonce = nonce
    }

    /// A version for the creation of a session.
    public static func first() -> CommitVersion { CommitVersion(number: 0, nonce: nextNonce()) }

    /// A version for a commit that stands on this one; another each time.
    public func next() -> CommitVersion { CommitVersion(number: number + 1, nonce: Self.nextNonce()) }

    private static let start = UInt64.random(in: 0...UInt64.max)
    private static let count = Atomic(UInt64(0))

    /// A number that this process gives once, and another process with a chance of one in 2⁶⁴.
    private static func nextNonce() -> UInt64 {
        // SplitMix64 (Steele, Lea, Flood 2014): a different number for each state, which the random generator of the system
        // does not promise, and without its system call.
        var mixed = start &+ count.add(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
