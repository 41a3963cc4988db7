import ViewModels

/// All that is kept of a session.
public struct SessionRecord: Equatable, Sendable {
    /// The incarnation of the session.
    public var epoch: Epoch
    /// The number of its latest commit.
    public var seq: UInt64
    /// The language its view models speak.
    public var language: Language
    /// The view models that were ever changed, by name.
    public var viewModels: [String: ViewModelRecord]

    /// Describes a session.
    public init(epoch: Epoch, seq: UInt64, language: Language, viewModels: [String: ViewModelRecord] = [:]) {
        self.epoch = epoch
        self.seq = seq
        self.language = language
        self.viewModels = viewModels
    }
}
