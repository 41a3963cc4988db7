import Foundation

/// When a session that nobody uses ends, in whole seconds of the time of day.
///
/// Time of day, since it is compared by other processes than the one that wrote it, after a restart or on another
/// machine.
public struct SessionEnd: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    public let secondsSince1970: Int64

    /// Takes a moment from a store.
    public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// The moment after a time that is counted in whole seconds.
    func advanced(by time: Duration) -> SessionEnd {
        SessionEnd(secondsSince1970: secondsSince1970 + time.components.seconds)
    }

    /// The later of two moments is the greater.
    public static func < (left: SessionEnd, right: SessionEnd) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}
