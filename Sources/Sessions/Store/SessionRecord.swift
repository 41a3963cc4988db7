import ViewModels

/// All that is kept of a session.
public struct SessionRecord: Equatable, Sendable {
    /// Where it stands.
    public var head: SessionHead
    /// The language its view models speak.
    public var language: Language
    /// When it ends if nobody uses it; nil for never.
    public var end: SessionEnd?
    /// What the others show, by the build that committed last.
    public var beginnings: Beginnings
    /// The view models that were ever changed, by name.
    public var viewModels: [String: ViewModelRecord]
    /// How many outcomes of requests with an idempotency key the store had that were not to be forgotten yet.
    public var keys: Int
    /// How many bytes the answers have that those outcomes keep.
    public var keyBytes: Int

    /// Describes a session.
    public init(
        head: SessionHead, language: Language, end: SessionEnd? = nil, beginnings: Beginnings = Beginnings(),
        viewModels: [String: ViewModelRecord] = [:], keys: Int = 0, keyBytes: Int = 0
    ) {
        self.head = head
        self.language = language
        self.end = end
        self.beginnings = beginnings
        self.viewModels = viewModels
        self.keys = keys
        self.keyBytes = keyBytes
    }
}

extension SessionRecord {
    /// The session a commit creates.
    public init(creating commit: Commit) {
        self.init(head: commit.head, language: commit.language)
        apply(commit)
    }

    /// Takes a step that stands on where the session stands; its outcome is the store's to keep and to count.
    public mutating func apply(_ commit: Commit) {
        head = commit.head
        end = commit.end
        if let known = commit.beginnings { beginnings = known }
        for viewModel in commit.viewModels { viewModels[viewModel.name] = viewModel }
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
    /// What was last published, in declared order; behind that, what a build published that declares more.
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

/// What a build's view models show before anybody has touched them, as a mark for each.
///
/// Nothing else is stored of a view model that was never touched: by its mark another build sees that it shows something
/// else there, or has a view model more, and tells whoever follows the session.
public struct Beginnings: Hashable, Sendable {
    /// A mark for each view model, in the order of the catalogue; empty where it is not known.
    public let marks: [UInt32]

    /// Takes marks from a store.
    public init(marks: [UInt32] = []) { self.marks = marks }

    /// Whether a view model that was never touched shows what it did; also where nothing is known.
    func has(_ mark: UInt32) -> Bool { marks.isEmpty || marks.contains(mark) }
}
