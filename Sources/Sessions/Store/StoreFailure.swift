/// Why a store did not do what was asked.
public enum StoreFailure: Error, Equatable, Sendable {
    /// The session stands at another version, named here; nothing was stored. Load it and try again.
    case conflict(CommitVersion)
    /// There is no such session, or its time is over; nothing was stored.
    case gone
    /// The store does not answer, and nothing was stored for certain. Try again later.
    case notSent
    /// The store does not answer; it may or may not have stored what it was given. Load the session to know.
    case unknown
    /// What is stored of the session is not what a store wrote; nothing was stored.
    case unreadable
}
