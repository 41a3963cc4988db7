import HTTP
import Synchronization
import ViewModels

extension Service {
    /// `GET /`: the index, or the page for clients that ask for HTML first.
    var indexRoute: Route {
        let index = SharedBody(
            Array(index.utf8), headers: [.json, .noStore, Header("Vary", "Accept")])
        let page = options.hasPage ? Self.sending(.page) : nil
        return route(.get, "/") { [self] request, responder in
            if request.prefers("text/html", to: "application/json") {
                responder.add([Header("Vary", "Accept")])
                if try sendFile("/index.html", to: request, responder) { return }
                if let page { return try page(request, responder) }
            }
            responder.send(Response(body: .shared(index)))
        }
    }

    /// `GET /openapi.yaml`; the first request makes the text, which takes some milliseconds.
    var descriptionRoute: Route {
        let written = Renditions<Bool>(1)
        return route(.get, "/openapi.yaml") { [self] _, responder in
            let body = written.body(true) {
                let headers = [Header("Content-Type", "application/yaml"), .noStore]
                return SharedBody(catalogue.openAPI(of: program, languages), headers: headers)
            }
            responder.send(Response(body: .shared(body)))
        }
    }

    private var index: String {
        func list(_ viewModels: [ViewModelDescription]) -> String {
            "[\(viewModels.map(Self.index).joined(separator: ","))]"
        }
        return """
            {"name":\(program.name.quoted),"version":\(program.version.quoted),"bindery":\(Version.current.quoted),\
            "languages":\(languages.all.map(\.rawValue).quoted),"viewModels":\(list(catalogue.sessionViewModels)),\
            "entities":\(list(catalogue.viewModels.filter { $0.keys != nil })),"links":{"changes":"/changes",\
            "session":"/session","sessions":"/sessions","description":"/openapi.yaml","live":"/livez",\
            "ready":"/readyz","script":"/bindery.js"}}

            """
    }

    private static func index(of viewModel: ViewModelDescription) -> String {
        func entry(_ name: String, _ path: String, _ method: String, _ summary: String, _ more: String) -> String {
            #"{"name":\#(name.quoted),"path":\#(path.quoted),"methods":\#(method),"summary":\#(summary.quoted)\#(more)}"#
        }
        let (path, get) = (viewModel.path, #"["GET","HEAD"]"#)
        let facets = viewModel.facets.map { entry($0.name, "\(path)/\($0.name)", get, $0.summary, "") }
        let actions = viewModel.actions.map { action in
            let example = String(decoding: action.example, as: UTF8.self)
            let input = action.input.map { #","body":\#(example),"schema":\#($0.openAPI(isClosed: true))"# }
            return entry(action.name, "\(path)/\(action.name)", #"["POST"]"#, action.summary, input ?? "")
        }
        let parts = [("facets", facets), ("actions", actions)].map { #","\#($0)":[\#($1.joined(separator: ","))]"# }
        return entry(viewModel.name, path, get, viewModel.summary, parts.joined())
    }

    // MARK: Probes

    /// How long a handler may hold an event loop before `/livez` turns 503.
    static let heldLimit = Duration.seconds(10)

    /// The routes of probes; load balancers may use any host name for them.
    ///
    /// - Parameter server: the server to report on; nil for the server that gets the request.
    func probeRoutes(of server: Server? = nil) -> [Route] {
        [
            Route(.get, "/livez") { _, responder in
                let heldFor = (server ?? responder.server).gauges.heldFor
                guard heldFor < Self.heldLimit else {
                    let cause = "a handler has held an event loop for \(heldFor.components.seconds) s"
                    throw ProblemType.serverBusy.problem("A handler holds a loop. Restart the server.", cause: cause)
                }
                responder.send(.json(#"{"status":"alive"}"#.utf8))
            },
            Route(.get, "/readyz") { [self] _, responder in
                if isLeaving { throw ProblemType.draining.problem(retryAfter: 5) }
                askStore { isReady in
                    guard isReady else { return responder.send(ProblemType.storeUnavailable.problem(retryAfter: 1)) }
                    responder.send(.json(#"{"status":"ready"}"#.utf8))
                }
            },
        ]
    }

    /// Reports whether the store takes commits; after two seconds without an answer, it reports false.
    ///
    /// - Parameter done: gets one or two calls; ignore the second.
    func askStore(then done: @escaping @Sendable (Bool) -> Void) {
        let timer = environment.timer
        let deadline = timer.schedule(at: timer.now + .seconds(2)) { done(false) }
        environment.store.isReady { isReady in
            timer.cancel([deadline])
            done(isReady)
        }
    }
}
