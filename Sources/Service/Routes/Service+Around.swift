import HTTP
import Synchronization
import ViewModels

extension Service {
    /// `GET /`: the index, or the page for clients that ask for HTML first.
    var indexRoute: Route {
        let index = SharedBody(
            index.text + [UInt8(ascii: "\n")], headers: [.json, .noStore, Header(.vary, "Accept")])
        let page = options.hasPage ? sending(.page) : nil
        return route(.get, "/") { [self] request, responder in
            if request.prefers("text/html", to: "application/json") {
                responder.add([Header(.vary, "Accept")])
                if try sendFile(["index.html"], to: request, responder) { return }
                if let page { return try page(request, responder) }
            }
            responder.send(Response(body: .shared(index)))
        }
    }

    /// `GET /openapi.yaml`, written when it is first asked for: that takes some milliseconds.
    var descriptionRoute: Route {
        let written = Renditions<Bool>(1)
        return route(.get, "/openapi.yaml") { [self] _, responder in
            let body = written.body(true) {
                let document = OpenAPIDocument(catalogue: catalogue, program: program, languages: languages)
                return SharedBody(document.text, headers: [Header(.contentType, "application/yaml"), .noStore])
            }
            responder.send(Response(body: .shared(body)))
        }
    }

    private var index: JSONValue {
        let entities = catalogue.viewModels.filter { $0.keys != nil }.map(Self.index)
        return .members([
            ("name", .string(program.name)), ("version", .string(program.version)),
            ("bindery", .string(Version.current)),
            ("languages", .array(languages.all.map { .string($0.rawValue) })),
            ("viewModels", .array(catalogue.sessionViewModels.map(Self.index))),
            ("entities", .array(entities)),
            (
                "links",
                .members(
                    [
                        ("changes", "/changes"), ("session", "/session"), ("sessions", "/sessions"),
                        ("description", "/openapi.yaml"), ("live", "/livez"), ("ready", "/readyz"),
                        ("script", "/bindery.js"),
                    ].map { ($0, .string($1)) })
            ),
        ])
    }

    private static func index(of viewModel: ViewModelDescription) -> JSONValue {
        let path = viewModel.path
        func entry(_ name: String, _ path: String, _ methods: [String], _ summary: String) -> [(String, JSONValue)] {
            [
                ("name", .string(name)), ("path", .string(path)), ("methods", .array(methods.map { .string($0) })),
                ("summary", .string(summary)),
            ]
        }
        let facets = viewModel.facets.map { entry($0.name, "\(path)/\($0.name)", ["GET", "HEAD"], $0.summary) }
        let actions = viewModel.actions.map { action in
            var members = entry(action.name, "\(path)/\(action.name)", ["POST"], action.summary)
            if let schema = action.input, let example = try? JSONValue(parsing: action.example),
                let shape = try? JSONValue(parsing: Array(schema.openAPI(isClosed: true).utf8))
            {
                members += [("body", example), ("schema", shape)]
            }
            return members
        }
        return .members(
            entry(viewModel.name, path, ["GET", "HEAD"], viewModel.summary) + [
                ("facets", .array(facets.map(JSONValue.members))), ("actions", .array(actions.map(JSONValue.members))),
            ])
    }

    // MARK: Probes

    /// How long a handler may hold an event loop until `/livez` is 503.
    static let heldLimit = Duration.seconds(10)
    /// How long the oldest handler has held an event loop.
    var heldFor: Duration { held.withLock { $0 }() }

    /// The routes of probes, which balancers ask for under any name.
    var probeRoutes: [Route] {
        [
            Route(.get, "/livez") { [self] _, responder in
                guard heldFor < Self.heldLimit else {
                    let cause = "a handler has held an event loop for \(heldFor.components.seconds) s"
                    throw ProblemType.serverBusy.problem("An event loop is held: restart the server.", cause: cause)
                }
                responder.send(.json(Array(#"{"status":"alive"}"#.utf8)))
            },
            Route(.get, "/readyz") { [self] _, responder in
                if isLeaving { throw ProblemType.draining.problem(retryAfter: 5) }
                askStore { isReady in
                    guard isReady else { return responder.send(ProblemType.storeUnavailable.problem(retryAfter: 1)) }
                    responder.send(.json(Array(#"{"status":"ready"}"#.utf8)))
                }
            },
        ]
    }

    /// Tells whether the store takes commits; it does not where it gives no answer in two seconds.
    ///
    /// - Parameter done: may be called twice; the first call counts.
    func askStore(then done: @escaping @Sendable (Bool) -> Void) {
        let timer = environment.timer
        let deadline = timer.schedule(at: timer.now + .seconds(2)) { done(false) }
        environment.store.isReady { isReady in
            timer.cancel([deadline])
            done(isReady)
        }
    }
}

extension JSONValue {
    /// An object with these members, in this order.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        return .object(object)
    }
}
