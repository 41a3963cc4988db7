import HTTP

extension Service {
    /// The routes around the view models: what is here, and the description.
    var aroundRoutes: [Route] {
        // The largest answers there are, and always the same: one copy for all who are slow in taking it.
        let index = SharedBody(ServiceIndex(catalogue: registry.catalogue).json, headers: [.json, .noStore])
        let description = SharedBody(
            description.bytes, headers: [Header(.contentType, "application/yaml"), .noStore])
        return [
            Route(.get, "/") { _ in Response(body: .shared(index)) },
            Route(.get, "/openapi.yaml") { _ in Response(body: .shared(description)) },
        ]
    }

    /// The routes of probes, which balancers and container runtimes ask for under any name: they say nothing that a page
    /// of another site could use.
    var probeRoutes: [Route] {
        [
            Route(.get, "/livez") { _ in .json(Array(#"{"status":"alive"}"#.utf8), headers: []) },
            Route(.get, "/readyz") { [self] _ in
                guard !isLeaving else { throw ProblemType.draining.passing(after: 5) }
                return .awaiting { [registry] in
                    guard await registry.isReady() else { throw ProblemType.storeUnavailable.passing(after: 1) }
                    return .json(Array(#"{"status":"ready"}"#.utf8), headers: [])
                }
            },
        ]
    }
}
