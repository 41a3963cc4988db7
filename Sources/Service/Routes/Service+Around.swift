import HTTP
import ViewModels

extension Service {
    /// The routes around the view models: what is here, and the description.
    var aroundRoutes: [Route] {
        // The largest answers there are, and always the same: one copy for all who are slow in taking it.
        let index = SharedBody(
            ServiceIndex(catalogue: registry.catalogue, of: program).json,
            headers: [.json, .noStore, Header(.vary, "Accept")])
        let page = options.hasPage ? Self.answer(with: .page) : nil
        return [
            Route(.get, "/") { [self] (request: Request) in
                let accept = request.header(.accept).map(WeightedList.init)
                if accept?.prefers("text/html", to: "application/json") == true {
                    if let own = try ownPage(for: request) { return own }
                    if let page { return try page(request) }
                }
                return Response(body: .shared(index))
            },
            Route(.get, "/openapi.yaml") { [self] (_: Request) in
                Response(body: .shared(descriptionBody))
            },
        ]
    }

    /// The description, written when it is first asked for: most servers of a test never are.
    private var descriptionBody: SharedBody {
        writtenDescription.withLock { written in
            let body =
                written
                ?? SharedBody(description.bytes, headers: [Header(.contentType, "application/yaml"), .noStore])
            written = body
            return body
        }
    }

    /// Their paths.
    static let probes = ["/livez", "/readyz"]

    /// The routes of probes, which balancers and container runtimes ask for under any name: they say nothing that a page
    /// of another site could use.
    var probeRoutes: [Route] {
        [
            Route(.get, "/livez") { (_: Request) in .json(Array(#"{"status":"alive"}"#.utf8), headers: []) },
            Route(.get, "/readyz") { [self] _, responder in
                guard !isLeaving else { throw ProblemType.draining.passing(after: 5) }
                responder.send { [registry] () async throws -> Response? in
                    guard await registry.isReady() else { throw ProblemType.storeUnavailable.passing(after: 1) }
                    return .json(Array(#"{"status":"ready"}"#.utf8), headers: [])
                }
            },
        ]
    }
}

/// The answer to `GET /`: what is here, and how to ask for it, for who tries it with curl.
struct ServiceIndex {
    let value: YAML

    /// The answer as JSON text for people to read.
    var json: [UInt8] { Array((value.json + "\n").utf8) }

    init(catalogue: Catalogue, of program: ServedProgram) {
        let names = OpenAPIDocument.names(in: catalogue)
        value = [
            "name": .text(program.name), "version": .text(program.version), "bindery": .text(Version.current),
            "languages": .list(catalogue.languages.all.map { .text($0.rawValue) }),
            "viewModels": .list(catalogue.viewModels.map { Self.describe($0, called: names) }),
            "links": [
                "changes": "/changes", "session": "/session", "sessions": "/sessions", "description": "/openapi.yaml",
                "live": "/livez", "ready": "/readyz", "script": "/bindery.js",
            ],
        ]
    }

    private static func describe(_ viewModel: Declaration, called names: ComponentNames) -> YAML {
        let path = "/\(viewModel.name)"
        return ["name": .text(viewModel.name.rawValue)] + request(path, ["GET", "HEAD"], viewModel.summary) + [
            "facets": .list(
                viewModel.facets.map { request("\(path)/\($0.name)", ["GET", "HEAD"], $0.summary) }),
            "actions": .list(
                viewModel.actions.map { action in
                    request("\(path)/\(action.name)", ["POST"], action.summary)
                        + (action.input.map {
                            ["body": .json($0.example), "schema": YAML($0.schema, isClosed: true, called: names)]
                        } ?? .map([]))
                }),
        ]
    }

    private static func request(_ path: String, _ methods: YAML, _ summary: String) -> YAML {
        ["path": .text(path), "methods": methods, "summary": .text(summary)]
    }
}
