import ViewModels

/// All that is kept of a session.
public struct SessionRecord: Equatable, Sendable {
    /// Where it stands.
    public var head: SessionHead
    /// The language its view models speak.
    public var language: Language
    /// When it ends if nobody uses it; nil for never.
    public var end: TimeOfDay?
    /// What view models that nobody has touched show, by the build that committed last.
    public var initialDigests: InitialDigests
    /// The view models that were ever changed, by name.
    public var viewModels: [String: ViewModelRecord]
    /// How many outcomes of requests with an idempotency key the store had that were not to be forgotten yet.
    public var keys: Int
    /// How many bytes the answers have that those outcomes keep.
    public var keyBytes: Int

    /// Describes a session.
    public init(
        head: SessionHead, language: Language, end: TimeOfDay? = nil, initialDigests: InitialDigests = InitialDigests(),
        viewModels: [String: ViewModelRecord] = [:], keys: Int = 0, keyBytes: Int = 0
    ) {
        self.head = head
        self.language = language
        self.end = end
        self.initialDigests = initialDigests
        self.viewModels = viewModels
        self.keys = keys
        self.keyBytes = keyBytes
    }
}

extension SessionRecord {
    /// The session a commit creates.
    public init(creating commit: Commit) {
        self.init(head: commit.head, language: commit.language, end: commit.end)
        apply(commit)
    }

    /// Takes a commit that stands on where the session stands; its outcome is the store's to keep and to count.
    public mutating func apply(_ commit: Commit) {
        head = commit.head
        language = commit.language
        end = commit.end(after: end)
        if let known = commit.initialDigests { initialDigests = known }
        for viewModel in commit.viewModels { viewModels[viewModel.name] = viewModel }
    }
}

extension SessionRecord {
    /// How many bytes models and outputs have.
    var bytes: Int {
        viewModels.values.reduce(0) { sum, viewModel in
            viewModel.outputs.reduce(sum + viewModel.model.count) { $0 + $1.name.utf8.count + $1.value.count }
        }
    }
}

/// All that is kept of one view model of a session.
public struct ViewModelRecord: Equatable, Sendable {
    /// The view model's name.
    public var name: String
    /// The version of the model, as the build that stored it declares it.
    public var version: Int
    /// The model as JSON text.
    public var model: [UInt8]
    /// The latest outputs in declared order, followed by those that only another build declares.
    public var outputs: [OutputRecord]

    /// Describes a view model.
    public init(name: String, version: Int = 1, model: [UInt8], outputs: [OutputRecord]) {
        self.name = name
        self.version = version
        self.model = model
        self.outputs = outputs
    }
}

/// The latest published value of one output.
public struct OutputRecord: Equatable, Sendable {
    /// The output's name.
    public var name: String
    /// The value as JSON text.
    public var value: [UInt8]
    /// The commit at which it last changed.
    public var seq: UInt64

    /// Describes an output.
    public init(name: String, value: [UInt8], seq: UInt64) {
        self.name = name
        self.value = value
        self.seq = seq
    }
}

/// What a store says of a session to whoever lists all of them: how it stands, and nothing of what it holds.
public struct SessionSummary: Hashable, Sendable {
    /// The name under which it is kept.
    public let id: SessionID
    /// Where it stands in the list: greater than that of every session before it, and its own for as long as it is there.
    public let place: Int64
    /// When it was created; nil where that was by a build that did not note it.
    public let begun: TimeOfDay?
    /// When it ends if nobody uses it; nil for never.
    public let end: TimeOfDay?
    /// About how many bytes its models and outputs have.
    public let bytes: Int

    /// Describes a session.
    public init(id: SessionID, place: Int64, begun: TimeOfDay?, end: TimeOfDay?, bytes: Int) {
        self.id = id
        self.place = place
        self.begun = begun
        self.end = end
        self.bytes = bytes
    }
}
