import HTTP

extension Service {
    /// The routes around the view models: what is here, and the description.
    var aroundRoutes: [Route] {
        let index = ServiceIndex(catalogue: registry.catalogue).json
        return [
            Route(.get, "/") { _ in .json(index, headers: []) },
            Route(.get, "/openapi.yaml") { [description] _ in
                Response(
                    status: 200, headers: [Header(.contentType, "application/yaml"), .noStore],
                    body: .bytes(description.bytes))
            },
        ]
    }

    /// The routes of probes, which balancers and container runtimes ask for under any name: they say nothing that a page
    /// of another site could use.
    var probeRoutes: [Route] {
        [
            Route(.get, "/livez") { _ in .json(Array(#"{"status":"alive"}"#.utf8), headers: []) },
            Route(.get, "/readyz") { [self] _ in
                guard !isLeaving else { throw ProblemType.draining.passing(after: 5) }
                guard await registry.isReady() else { throw ProblemType.storeUnavailable.passing(after: 1) }
                return .json(Array(#"{"status":"ready"}"#.utf8), headers: [])
            },
        ]
    }
}
