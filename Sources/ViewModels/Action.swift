/// A named input of a view model, with or without a JSON body.
///
/// An action that throws has changed nothing. It throws a ``Refusal`` to say why; any other error is a fault of the
/// view model. The `example` of a body is for the OpenAPI description.
///
/// A synchronous action must be quick and must not act outside of its view model: after a conflict with another replica
/// it runs again. An `async` action runs once, and the other actions of the session wait for it.
public struct Action<Root: Hostable>: Sendable {
    /// Reads the body, which is nil where the action takes none, and runs.
    @usableFromInline
    enum Work: Sendable {
        case now(@Sendable (inout Root, JSONValue?, Root.Context) throws -> Void)
        case later(@Sendable (inout Root, JSONValue?, Root.Context) async throws -> Void)
    }

    /// What the server and the OpenAPI description know of it; the body is not yet in it.
    package private(set) var description: ViewModelDescription.Action
    /// Finds the shape of the body, and the example as JSON; nil for an action without a body.
    private let input: (@Sendable () throws -> (schema: JSONSchema, example: [UInt8]))?
    @usableFromInline let work: Work

    private init(
        _ name: String, _ summary: String, _ input: (@Sendable () throws -> (JSONSchema, [UInt8]))?, _ work: Work
    ) {
        (self.input, self.work) = (input, work)
        let isAsync = if case .later = work { true } else { false }
        description = ViewModelDescription.Action(name: name, summary: summary, isAsync: isAsync)
    }

    /// The description with the body, whose example is checked.
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
    /// For a kind of your own, the server then also explains the problem's type, `/problems/TYPE`.
    /// - Parameter summary: when the action refuses, one sentence.
    public func refusing(_ kind: Refusal.Kind, _ summary: String) -> Action {
        declaring { $0.refusals.append((kind, summary)) }
    }

    /// Declares that a synchronous action waits or computes for long, so that it runs on the executor.
    public func blocking() -> Action { declaring { $0.isBlocking = true } }

    /// Declares that only users with one of these roles may ask; others get 403 `not-allowed`, and nothing runs.
    public func allowing(_ roles: String...) -> Action { declaring { $0.roles += roles } }

    /// Declares that the action makes a named entity: it starts from `init()`, and answers 409 `exists` if there is one.
    ///
    /// Only a view model that is hosted with ``EntityKeys/made`` has such actions.
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

    /// Checks that the type reads the example.
    private static func input<Body: Codable & Sendable>(
        _ example: Body
    ) -> @Sendable () throws -> (JSONSchema, [UInt8]) {
        {
            let (schema, text) = (try JSONSchema(of: Body.self), try JSON.encode(example))
            _ = try read(JSONValue(parsing: text)) as Body
            return (schema, text)
        }
    }

    private static func read<Body: Decodable>(_ json: JSONValue?) throws -> Body {
        try JSONValueDecoder(json ?? .null, isStrict: true).decode(Body.self)
    }
}
