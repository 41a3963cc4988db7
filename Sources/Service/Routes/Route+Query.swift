import HTTP

extension Route {
    /// The same route, which refuses a query: one that is not heard is a mistake of its sender's.
    var takingNoQuery: Route {
        Route(method, template) { [handler] request in
            try request.query().check(known: [])
            return try handler(request)
        }
    }
}

extension Query {
    /// Refuses a query with a name that nobody knows: a misspelt `sinse` is not left unheard.
    ///
    /// - Throws: ``Problem``, 400, which names what is known, never what was sent.
    func check(known: [String]) throws {
        let unknown = names.first { name in !known.contains { $0.utf8.elementsEqual(name.utf8) } }
        guard let unknown else { return }
        throw ProblemType.malformedQuery.problem(Self.advice(on: unknown, known: known))
    }

    private static func advice(on unknown: String, known: [String]) -> String {
        guard !known.isEmpty else { return "This path takes no query; leave out the question mark and what follows." }
        let list = "This path takes \(known.dropLast().joined(separator: ", ")) and \(known.last ?? "")."
        return Nearest.name(to: unknown, among: known).map { "Did you mean \($0)? \(list)" } ?? list
    }
}
