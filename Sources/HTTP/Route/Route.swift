/// Answers one request.
///
/// Called on the connection's event loop, up to its first suspension: what never waits has answered before the call
/// returns, and must not block there. After a suspension it goes on as any other task. Its task is cancelled when the
/// client leaves or the server stops. A thrown ``Problem`` becomes that problem; any other error a 500 without its text.
public typealias Handler = nonisolated(nonsending) @Sendable (Request) async throws -> Response

/// Answers one request at once, or says with nil that it would have to wait: then the route's ``Handler`` is called.
///
/// Called on the connection's event loop and outside of any task: it must not block, and its answer must be no event stream,
/// which needs a task. Throws as a ``Handler`` does.
public typealias ImmediateHandler = @Sendable (Request) throws -> Response?

/// A method and a path template, and what answers them.
public struct Route: Sendable {
    /// The method; a GET route serves HEAD too.
    public let method: Method
    /// The template, as given.
    public let template: String
    /// What answers.
    public let handler: Handler
    /// What is asked first.
    public let immediate: ImmediateHandler?
    /// The names in braces, in order.
    let parameterNames: [String]

    /// Makes a route for a template such as `/session` or `/{name}/{action}`.
    ///
    /// A template begins with a slash and has at most 16 segments, each literal or one whole `{parameter}`, at most 8 of
    /// these. Where a literal and a parameter both match, the literal wins, left to right.
    ///
    /// `immediate` is for what is asked most and seldom waits: a task costs more than a small answer.
    public init(
        _ method: Method, _ template: String, immediate: ImmediateHandler? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.template = template
        self.handler = handler
        self.immediate = immediate
        self.parameterNames = template.split(separator: "/").compactMap { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}") ? String(segment.dropFirst().dropLast()) : nil
        }
    }
}
