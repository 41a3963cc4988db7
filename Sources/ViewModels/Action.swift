/// A named input of a view model, with or without a JSON body.
///
/// If an action throws, nothing changes. A ``Refusal`` tells the client the reason; any other error is a fault of the
/// view model. The OpenAPI description shows the `example` of a body.
///
/// A synchronous action must be quick and must not act outside of its view model: after a conflict with another
/// replica, the host runs it again. An `async` action runs once, and the other actions of the session wait for it.
public struct Action<Root: Hostable>: Sendable {
    /// The action's code; the body is nil if the action takes none.
    @usableFromInline
    enum Work: Sendable {
        case now(@Sendable (inout Root, JSONValue?, Root.Context) throws -> Void)
        case later(@Sendable (inout Root, JSONValue?, Root.Context) async throws -> Void)
    }

    /// The declaration without the body's schema and example.
    package private(set) var description: ViewModelDescription.Action
    /// Finds the schema of the body and encodes its example; nil for an action without a body.
    private let input: (@Sendable () throws -> (schema: JSONSchema, example: [UInt8]))?
    @usableFromInline let work: Work

    private init(
        _ name: String, _ summary: String, _ input: (@Sendable () throws -> (JSONSchema, [UInt8]))?, _ work: Work
    ) {
        (self.input, self.work) = (input, work)
        let isAsync = if case .later = work { true } else { false }
        description = ViewModelDescription.Action(name: name, summary: summary, isAsync: isAsync)
    }

    /// Adds the body to the description, and checks its example.
    func described() throws -> ViewModelDescription.Action {
        var description = description
        if let input { (description.input, description.example) = try naming("the body of \(description.name)", input) }
        return description
    }

    private func declaring(_ change: (inout ViewModelDescription.Action) -> Void) -> Action {
        var action = self
        change(&action.description)
        return action
    }

    /// Declares that the action may refuse, for the OpenAPI description.
    ///
    /// For a custom kind, the server then also explains the problem type at `/problems/TYPE`.
    /// - Parameter summary: one sentence that says when the action refuses.
    public func refusing(_ kind: Refusal.Kind, _ summary: String) -> Action {
        declaring { $0.refusals.append((kind, summary)) }
    }

    /// Declares that a synchronous action blocks or computes for long, so that it runs on the executor.
    public func blocking() -> Action { declaring { $0.isBlocking = true } }

    /// Declares that only users with one of these roles may run the action; other callers get 403 `not-allowed`.
    public func allowing(_ roles: String...) -> Action { declaring { $0.roles += roles } }

    /// Declares that the action makes a named entity from `init()`; if there is one, the server answers 409 `exists`.
    ///
    /// The server must host the view model with ``EntityKeys/made``.
    public func making() -> Action { declaring { $0.isMaking = true } }

    /// Declares an action without a body.
    public init(_ name: String, _ summary: String = "", _ body: @escaping @Sendable (inout Root) throws -> Void) {
        self.init(name, summary, nil, .now { root, _, _ in try body(&root) })
    }

    /// Declares an action without a body that uses the context.
    public init(
        _ name: String, _ summary: String = "", _ body: @escaping @Sendable (inout Root, Root.Context) throws -> Void
    ) {
        self.init(name, summary, nil, .now { root, _, context in try body(&root, context) })
    }

    /// Declares an `async` action without a body.
    public init(_ name: String, _ summary: String = "", _ body: @escaping @Sendable (inout Root) async throws -> Void) {
        self.init(name, summary, nil, .later { root, _, _ in try await body(&root) })
    }

    /// Declares an `async` action without a body that uses the context.
    public init(
        _ name: String, _ summary: String = "",
        _ body: @escaping @Sendable (inout Root, Root.Context) async throws -> Void
    ) {
        self.init(name, summary, nil, .later { root, _, context in try await body(&root, context) })
    }

    /// Declares an action that takes a JSON body.
    public init<Body: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Body,
        _ body: @escaping @Sendable (inout Root, Body) throws -> Void
    ) {
        self.init(name, summary, Self.input(example), .now { root, json, _ in try body(&root, Self.read(json)) })
    }

    /// Declares an action that takes a JSON body and uses the context.
    public init<Body: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Body,
        _ body: @escaping @Sendable (inout Root, Body, Root.Context) throws -> Void
    ) {
        self.init(
            name, summary, Self.input(example),
            .now { root, json, context in try body(&root, Self.read(json), context) })
    }

    /// Declares an `async` action that takes a JSON body.
    public init<Body: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Body,
        _ body: @escaping @Sendable (inout Root, Body) async throws -> Void
    ) {
        self.init(
            name, summary, Self.input(example), .later { root, json, _ in try await body(&root, Self.read(json)) })
    }

    /// Declares an `async` action that takes a JSON body and uses the context.
    public init<Body: Codable & Sendable>(
        _ name: String, _ summary: String = "", example: Body,
        _ body: @escaping @Sendable (inout Root, Body, Root.Context) async throws -> Void
    ) {
        self.init(
            name, summary, Self.input(example),
            .later { root, json, context in try await body(&root, Self.read(json), context) })
    }

    /// Checks that the example has the shape, and that the type can read it.
    private static func input<Body: Codable & Sendable>(
        _ example: Body
    ) -> @Sendable () throws -> (JSONSchema, [UInt8]) {
        {
            let (schema, text) = (try JSONSchema(of: Body.self), try JSON.encode(example))
            let json = try JSONValue(parsing: text)
            try schema.check(json)
            _ = try read(json) as Body
            return (schema, text)
        }
    }

    private static func read<Body: Decodable>(_ json: JSONValue?) throws -> Body {
        try JSONValueDecoder(json ?? .null).decode(Body.self)
    }
}
