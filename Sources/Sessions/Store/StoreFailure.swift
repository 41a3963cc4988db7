/// Why a store did not do what was asked.
public enum StoreFailure: Error, Equatable, Sendable {
    /// Someone else moved the session on; nothing was stored. Load it and try again.
    case conflict
    /// The store does not answer; it may or may not have stored what it was given. Try again later.
    case unavailable
}
