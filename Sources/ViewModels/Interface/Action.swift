/// A named input of a view model, with or without a JSON body.
///
/// What it names runs to its end in one turn of the session; what it changes becomes one commit. To refuse, it throws
/// ``ActionRefusal/disabled(_:)``, before it changes anything. One that is `async` keeps the turn while it waits, so that
/// the session's other actions wait for it.
public struct Action<Owner: ViewModel>: Sendable {
    /// The last segment of the action's path.
    public let name: Name
    /// One sentence on what the action does, shown in the OpenAPI description.
    public let summary: String
    /// The shape and an example of the body; nil for an action that takes none.
    public let input: ActionInput?
    let perform: @Sendable (Owner, [UInt8]) async throws -> Void

    /// Declares an action without a body and without a summary.
    ///
    /// An initializer of its own: a default for the summary could never be used, as what stands second would be taken
    /// for the summary.
    public init(_ name: String, _ body: @escaping @Sendable (Owner) -> () async throws -> Void) {
        self.init(name, "", body)
    }

    /// Declares an action without a body.
    public init(_ name: String, _ summary: String, _ body: @escaping @Sendable (Owner) -> () async throws -> Void) {
        self.name = Name(declared: name)
        self.summary = summary
        input = nil
        perform = { owner, json in
            try ActionInput.requireNone(json)
            try await body(owner)()
        }
    }

    /// Declares an action that takes a JSON body.
    ///
    /// - Parameters:
    ///   - example: a body as a caller would send it, shown in the OpenAPI description.
    ///   - body: what to do with the decoded input.
    public init<Input: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Input,
        _ body: @escaping @Sendable (Owner) -> (Input) async throws -> Void
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        input = ActionInput(schema: JSONSchema(of: Input.self), example: (try? JSON.encode(example)) ?? [])
        perform = { owner, json in try await body(owner)(ActionInput.decode(Input.self, from: json)) }
    }
}
