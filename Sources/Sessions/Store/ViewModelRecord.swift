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
