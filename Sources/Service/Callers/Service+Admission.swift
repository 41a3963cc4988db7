import Events
import HTTP
import Sessions

// What is done for every request before and after its route, whatever the route.

extension Service {
    /// A route behind the door: asked under a name of ours, readable by the origins that are allowed, and with the
    /// bounds that it reaches told to the log.
    ///
    /// - Parameter takesQuery: whether the route reads the query; else one is refused.
    func admitting(_ route: Route, takesQuery: Bool) -> Route {
        Route(route.method, route.template) { [self, handler = route.handler] request, responder in
            if let origin = crossSiteRule.allowedOrigin(of: request) { responder.add(Header.readable(by: origin)) }
            do {
                try checkHost(of: request)
                if !takesQuery { try request.query().check(known: []) }
                try handler(request, responder)
            } catch {
                noteBound(error, of: request)
                throw error
            }
        }
    }

    /// Answers by what takes an `await`: a session's failure is a problem, and the log is told of reached bounds.
    func answer(
        _ request: Request, _ responder: Responder,
        _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Response?
    ) {
        responder.send { [self] () async throws -> Response? in
            do { return try await body() } catch {
                let error = Problem.of(error)
                noteBound(error, of: request)
                throw error
            }
        }
    }

    /// - Throws: ``Problem``, 421, where the server is not to be asked under that name, and 400 where nobody can tell what a proxy says.
    private func checkHost(of request: Request) throws {
        guard !request.isForwardedMalformed else {
            throw ProblemType.malformedHeader.problem(
                "The proxy sent X-Forwarded-Host or X-Forwarded-Proto twice, or two words in it: have it set the field to "
                    + "one, not add to it.")
        }
        guard let hosts = options.allowedHosts, !hosts.isAny else { return }
        let isAllowed =
            if var host = request.forwardedHost {
                host.withUTF8 { hosts.allow(UnsafeRawBufferPointer($0)) }
            } else {
                // HTTP/1.0 knows no Host; no browser of today speaks it.
                request.withHeader(.host) { hosts.allow($0) } ?? true
            }
        guard isAllowed else { throw ProblemType.misdirected.problem() }
    }

    /// Tells the log of a problem that says that a bound was reached.
    func noteBound(_ error: any Error, of request: Request) {
        guard let problem = error as? Problem, let bound = bounds[problem.slug] else { return }
        pace.tell(
            .boundReached(bound.option, limit: bound.limit, by: request.client.network), alike: bound.option)
    }

    /// The options that set the bounds of which problems speak, by their slugs, and where they lie.
    static func bounds(_ options: ServiceOptions, _ limits: SessionLimits) -> [String: (option: String, limit: Int?)] {
        [
            ProblemType.tooManyNewSessions.slug: ("max-new-sessions", options.newSessionsPerMinute),
            ProblemType.tooManyStreams.slug: ("max-streams", options.streamsPerToken),
            ProblemType.tooManySessions.slug: ("max-sessions", limits.sessions),
            ProblemType.memoryFull.slug: ("max-memory", limits.memoryBytes),
            ProblemType.tooManyActions.slug: ("max-actions", limits.actionsPerSecond),
            ProblemType.lineFull.slug: ("max-waiting-actions", limits.waitingActions),
            ProblemType.tooManyKeys.slug: ("max-keys", limits.keysPerSession),
            ProblemType.tooManyKeyBytes.slug: ("max-key-bytes", limits.keyBytesPerSession),
            ProblemType.busy.slug: ("action-threads", limits.actionThreads),
        ]
    }
}

extension Route {
    /// The same route, which refuses a query: an ignored query is probably a client's error.
    var takingNoQuery: Route {
        Route(method, template) { [handler] request, responder in
            try request.query().check(known: [])
            try handler(request, responder)
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

    /// The one value of a name; nil where it is not there.
    ///
    /// - Throws: ``Problem``, 400, where there is more than one.
    func single(_ name: String) throws -> String? {
        guard values(of: name).count < 2 else { throw ProblemType.malformedQuery.problem("Send \(name) once.") }
        return self[name]
    }

    private static func advice(on unknown: String, known: [String]) -> String {
        guard !known.isEmpty else { return "This path takes no query; leave out the question mark and what follows." }
        let others = known.count > 1 ? "\(known.dropLast().joined(separator: ", ")) and " : ""
        let list = "This path takes \(others)\(known.last ?? "")."
        return Nearest.name(to: unknown, among: known).map { "Did you mean \($0)? \(list)" } ?? list
    }
}
