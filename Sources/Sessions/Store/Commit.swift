import Synchronization
import ViewModels

/// What one commit of a session stores, whole or not at all.
///
/// A value that never changes, and a class all the same: it is passed on many times, and one reference costs less than those
/// in it.
public final class Commit: Sendable {
    /// The session.
    public let id: SessionID
    /// The version it was made from, and stands on: nil for the creation of the session.
    public let base: CommitVersion?
    /// Where it leads to; the same place in the feed for a commit that only remembers an outcome.
    public let head: SessionHead
    /// The session's language from then on: another than before where the commit changes it.
    public let language: Language
    /// When the session ends if nobody uses it, unless it ends later already; nil for never.
    public let end: TimeOfDay?
    /// What untouched view models show in the build that made the commit; nil where the store knows it.
    public let initialDigests: InitialDigests?
    /// The view models it changes, each whole; those it does not name stay as they are.
    public let viewModels: [ViewModelRecord]
    /// The outcome to be remembered with it until its end.
    public let outcome: RememberedOutcome?
    /// Of the creation of a session that comes from another store: when it began there; nil for now.
    public let begun: TimeOfDay?

    /// Describes a commit.
    public init(
        id: SessionID, base: CommitVersion?, head: SessionHead, language: Language, end: TimeOfDay? = nil,
        initialDigests: InitialDigests? = nil, viewModels: [ViewModelRecord] = [], outcome: RememberedOutcome? = nil,
        begun: TimeOfDay? = nil
    ) {
        self.id = id
        self.base = base
        self.head = head
        self.language = language
        self.end = end
        self.initialDigests = initialDigests
        self.viewModels = viewModels
        self.outcome = outcome
        self.begun = begun
    }

    /// When a session ends once the commit is stored.
    ///
    /// - Parameter known: when it has ended so far; nil for never.
    package func end(after known: TimeOfDay?) -> TimeOfDay? {
        guard let known, let end else { return nil }
        return max(known, end)
    }
}

/// A mark unique to each commit of a session, by which stores compare and set; never shown.
///
/// A position in the feed would not do: two commits that are made from the same one by two writers have the same number,
/// and what was made from the one must not be stored on top of the other. And a commit that only remembers an outcome has no
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
