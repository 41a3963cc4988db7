/// What a store that lasts is opened for.
public enum StorePurpose: Sendable {
    /// To serve sessions.
    case service
    /// To be copied from: it has to be there, and nobody else may have it open.
    case source
    /// To be copied into, while nobody else has it open: what a copy left that was broken off is cleared.
    case target
}
