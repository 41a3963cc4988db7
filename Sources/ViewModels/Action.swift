/// A named input of a view model, with or without a JSON body.
///
/// What it names runs to its end in one turn of the session; what it changes becomes one commit. To refuse, it throws an
/// ``ActionRefusal``, before it changes anything, of a kind that it declares. One that is `async` keeps the turn while it
/// waits, so that the session's other actions wait for it. One that is not is run again where another replica moved the
/// session on at the same time: it does nothing outside of its view model.
public struct Action<Owner: ViewModel>: Sendable {
    /// What is done, by whether it may have to wait.
    enum Work: Sendable {
        case now(@Sendable (Owner, [UInt8]) throws -> Void)
        case later(@Sendable (Owner, [UInt8]) async throws -> Void)

        var isAsync: Bool { if case .later = self { true } else { false } }
    }

    /// The last segment of the action's path.
    public let name: Name
    /// One sentence on what the action does, shown in the OpenAPI description.
    public let summary: String
    /// The shape and an example of the body; nil for an action that takes none.
    public let input: ActionInput?
    /// The refusals it may throw, as they were declared.
    public private(set) var refusals: [ActionRefusal.Declared] = []
    let work: Work
    /// A body as a caller would send it in a state, as JSON text.
    let example: (@Sendable (Owner.Model) throws -> [UInt8])?

    private init(_ name: String, _ summary: String, _ work: Work) {
        self.name = Name(declared: name)
        self.summary = summary
        self.work = work
        (input, example) = (nil, nil)
    }

    private init<Input: Codable & Sendable>(
        _ name: String, _ summary: String, _ example: @escaping @Sendable (Owner.Model) -> Input, _ work: Work
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        self.work = work
        let encoded = { @Sendable model in try JSON.encode(example(model)) }
        input = ActionInput(of: Input.self) { try encoded(Owner.Model()) }
        self.example = encoded
    }

    /// Declares that the action may be refused, which its description then says.
    ///
    /// ```swift
    /// Action("call", "Calls the next number.", TicketMachine.call).refusing(.disabled, "Nobody waits.")
    /// ```
    ///
    /// - Parameter summary: when it is, one sentence.
    public func refusing(_ kind: ActionRefusal.Kind, _ summary: String) -> Action {
        var action = self
        action.refusals.append(ActionRefusal.Declared(kind: kind, summary: summary))
        return action
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
            name, summary, { _ in example },
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
            name, summary, { _ in example },
            .later { owner, json in try await body(owner)(ActionInput.decode(Input.self, from: json)) })
    }

    /// Declares an action that takes a JSON body, with an example that depends on the state.
    ///
    /// - Parameters:
    ///   - example: a body as a caller would send it in a state, as `{ model in Rename(id: model.items.last?.id ?? 1) }`; the
    ///     OpenAPI description shows that of a new session.
    ///   - body: what to do with the decoded input.
    public init<Input: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: @escaping @Sendable (Owner.Model) -> Input,
        _ body: @escaping @Sendable (Owner) -> (Input) throws -> Void
    ) {
        self.init(
            name, summary, example, .now { owner, json in try body(owner)(ActionInput.decode(Input.self, from: json)) })
    }

    /// Declares an action that takes a JSON body and may wait, with an example that depends on the state.
    ///
    /// - Parameters:
    ///   - example: a body as a caller would send it in a state, as `{ model in Rename(id: model.items.last?.id ?? 1) }`; the
    ///     OpenAPI description shows that of a new session.
    ///   - body: what to do with the decoded input.
    public init<Input: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: @escaping @Sendable (Owner.Model) -> Input,
        _ body: @escaping @Sendable (Owner) -> (Input) async throws -> Void
    ) {
        self.init(
            name, summary, example,
            .later { owner, json in try await body(owner)(ActionInput.decode(Input.self, from: json)) })
    }
}
