/// Why a session could not be begun.
public enum RegistryFailure: Error, Equatable, Sendable {
    /// There are as many sessions as there may be.
    case full
}
