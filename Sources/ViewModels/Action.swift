/// A named input of a view model, with or without a JSON body.
///
/// An action that throws has changed nothing. It throws a ``Refusal`` to say why; any other error is a fault of the
/// view model. The `example` of a body is for the OpenAPI description.
///
/// A synchronous action must be quick and must not act outside of its view model: after a conflict with another replica
/// it runs again. An `async` action runs once, and the other actions of the session wait for it.
public struct Action<Root: Hostable>: Sendable {
    /// Runs with the body, which is checked; nil where the action takes none.
    @usableFromInline
    enum Work: Sendable {
        case now(@Sendable (inout Root, JSONValue?, Root.Context) throws -> Void)
        case later(@Sendable (inout Root, JSONValue?, Root.Context) async throws -> Void)
    }

    /// The last segment of the action's path.
    public let name: String
    /// One sentence on the effect, for the OpenAPI description.
    public let summary: String
    /// The refusals that the action declares.
    public private(set) var refusals: [DeclaredRefusal] = []
    /// Whether the action needs a thread of its own, because it waits or computes for long.
    public private(set) var isBlocking = false
    /// The roles of which a caller needs one; empty for any caller.
    public private(set) var roles: [String] = []
    /// Whether the action makes a named entity that does not exist yet.
    public private(set) var isMaking = false
    /// Whether the action is an `async` one.
    public var isAsync: Bool { if case .later = work { true } else { false } }
    /// Finds the shape of the body, and the example as JSON; nil for an action without a body.
    let input: (@Sendable () throws -> (schema: JSONSchema, example: [UInt8]))?
    let work: Work

    private init(
        _ name: String, _ summary: String, _ input: (@Sendable () throws -> (JSONSchema, [UInt8]))?, _ work: Work
    ) {
        (self.name, self.summary, self.input, self.work) = (name, summary, input, work)
    }

    /// Declares that the action may refuse, for the OpenAPI description.
    ///
    /// For a kind of your own, the server then also explains the problem's type, `/problems/TYPE`.
    /// - Parameter summary: when the action refuses, one sentence.
    public func refusing(_ kind: Refusal.Kind, _ summary: String) -> Action {
        var action = self
        action.refusals.append(DeclaredRefusal(kind: kind, summary: summary))
        return action
    }

    /// Declares that a synchronous action waits or computes for long, so that it runs on the executor.
    public func blocking() -> Action {
        var action = self
        action.isBlocking = true
        return action
    }

    /// Declares that only users with one of these roles may ask; others get 403 `not-allowed`, and nothing runs.
    public func allowing(_ roles: String...) -> Action {
        var action = self
        action.roles += roles
        return action
    }

    /// Declares that the action makes a named entity: it starts from `init()`, and answers 409 `exists` if there is one.
    ///
    /// Only a view model that is hosted with ``EntityKeys/made`` has such actions.
    public func making() -> Action {
        var action = self
        action.isMaking = true
        return action
    }

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

    /// Checks that the example fits the schema, and that the type reads it.
    private static func input<Body: Codable & Sendable>(
        _ example: Body
    ) -> @Sendable () throws -> (JSONSchema, [UInt8]) {
        {
            let (schema, text) = (try JSONSchema(of: Body.self), try JSON.encode(example))
            let json = try JSONValue(parsing: text)
            try schema.check(json)
            _ = try JSONValueDecoder(value: json).decode(Body.self)
            return (schema, text)
        }
    }

    private static func read<Body: Decodable>(_ json: JSONValue?) throws -> Body {
        do { return try JSONValueDecoder(value: json ?? .null).decode(Body.self) } catch {
            throw error is Refusal ? error : InputFault(error)
        }
    }
}
