/// A named input of a view model, with or without a JSON body.
///
/// What it names runs to its end in one turn of the session; what it changes becomes one commit. To refuse, it throws
/// ``ActionRefusal/disabled(_:)``, before it changes anything. One that is `async` keeps the turn while it waits, so that
/// the session's other actions wait for it.
public struct Action<Owner: ViewModel>: Sendable {
    /// What is done, by whether it may have to wait.
    enum Work: Sendable {
        case now(@Sendable (Owner, [UInt8]) throws -> Void)
        case later(@Sendable (Owner, [UInt8]) async throws -> Void)
    }

    /// The last segment of the action's path.
    public let name: Name
    /// One sentence on what the action does, shown in the OpenAPI description.
    public let summary: String
    /// The shape and an example of the body; nil for an action that takes none.
    public let input: ActionInput?
    let work: Work

    private init(_ name: String, _ summary: String, input: ActionInput? = nil, _ work: Work) {
        self.name = Name(declared: name)
        self.summary = summary
        self.input = input
        self.work = work
    }

    // An initializer of its own for an action without a summary: a default could never be used, as what stands second
    // would be taken for the summary.

    /// Declares an action without a body and without a summary.
    public init(_ name: String, _ body: @escaping @Sendable (Owner) -> () throws -> Void) { self.init(name, "", body) }

    /// Declares an action without a body and without a summary that may wait.
    public init(_ name: String, _ body: @escaping @Sendable (Owner) -> () async throws -> Void) {
        self.init(name, "", body)
    }

    /// Declares an action without a body.
    public init(_ name: String, _ summary: String, _ body: @escaping @Sendable (Owner) -> () throws -> Void) {
        self.init(
            name, summary,
            .now { owner, json in
                try ActionInput.requireNone(json)
                try body(owner)()
            })
    }

    /// Declares an action without a body that may wait.
    public init(_ name: String, _ summary: String, _ body: @escaping @Sendable (Owner) -> () async throws -> Void) {
        self.init(
            name, summary,
            .later { owner, json in
                try ActionInput.requireNone(json)
                try await body(owner)()
            })
    }

    /// Declares an action that takes a JSON body.
    ///
    /// - Parameters:
    ///   - example: a body as a caller would send it, shown in the OpenAPI description.
    ///   - body: what to do with the decoded input.
    public init<Input: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Input,
        _ body: @escaping @Sendable (Owner) -> (Input) throws -> Void
    ) {
        self.init(
            name, summary, input: ActionInput(example: example),
            .now { owner, json in try body(owner)(ActionInput.decode(Input.self, from: json)) })
    }

    /// Declares an action that takes a JSON body and may wait.
    ///
    /// - Parameters:
    ///   - example: a body as a caller would send it, shown in the OpenAPI description.
    ///   - body: what to do with the decoded input.
    public init<Input: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Input,
        _ body: @escaping @Sendable (Owner) -> (Input) async throws -> Void
    ) {
        self.init(
            name, summary, input: ActionInput(example: example),
            .later { owner, json in try await body(owner)(ActionInput.decode(Input.self, from: json)) })
    }
}
