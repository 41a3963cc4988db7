import HTTP

extension Route {
    /// The names that a query of the route may have.
    private static let queryNames = ["/changes": ["since", "wait", "topics", "values"]]

    /// The same route, which refuses a query with a name that it does not know: a misspelt `sinse` is not left unheard.
    var checkingQuery: Route {
        let known = Self.queryNames[template] ?? []
        let (immediate, handler) = (immediate, handler)
        var checked: ImmediateHandler?
        if let immediate {
            checked = { request in
                try Self.check(request, known: known)
                return try immediate(request)
            }
        }
        return Route(method, template, immediate: checked) { request in
            try Self.check(request, known: known)
            return try await handler(request)
        }
    }

    private static func check(_ request: Request, known: [String]) throws {
        let names = try request.query().names
        guard let unknown = names.first(where: { !known.contains($0) }) else { return }
        throw ProblemType.malformedQuery.problem(advice(on: unknown, known: known))
    }

    /// Names what is known, never what was sent.
    private static func advice(on unknown: String, known: [String]) -> String {
        guard !known.isEmpty else { return "This path takes no query; leave out the question mark and what follows." }
        let list = "This path takes \(known.dropLast().joined(separator: ", ")) and \(known.last ?? "")."
        return Nearest.name(to: unknown, among: known).map { "Did you mean \($0)? \(list)" } ?? list
    }
}
