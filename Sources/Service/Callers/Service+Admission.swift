import HTTP

// What is done for every request before and after its route, whatever the route.

extension Service {
    /// A route behind the door: asked under a name of ours, readable by the origins that are allowed, and with the
    /// bounds that it reaches told to the log.
    func admitting(_ route: Route) -> Route {
        Route(route.method, route.template, immediate: route.immediate.map(admitting)) { [self] request in
            do {
                try checkHost(of: request)
                return shared(try await route.handler(request), with: request)
            } catch {
                throw noted(error, of: request)
            }
        }
    }

    private func admitting(_ immediate: @escaping ImmediateHandler) -> ImmediateHandler {
        { [self] request in
            do {
                try checkHost(of: request)
                guard let response = try immediate(request) else { return nil }
                return shared(response, with: request)
            } catch {
                throw noted(error, of: request)
            }
        }
    }

    /// - Throws: ``Problem``, 421, where the server is not to be asked under that name, and 400 where a proxy says two.
    private func checkHost(of request: Request) throws {
        guard !request.isForwardedTwice else {
            throw ProblemType.malformedHeader.problem(
                "The proxy sent X-Forwarded-Host or X-Forwarded-Proto twice: have it set the field, not add one.")
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

    private func shared(_ response: Response, with request: Request) -> Response {
        crossSiteRule.allowedOrigin(of: request).map(response.shared) ?? response
    }

    /// The error as it is thrown on: a problem that an allowed origin may read, and one that the log is told of where a
    /// bound was reached.
    private func noted(_ error: any Error, of request: Request) -> any Error {
        guard var problem = error as? Problem else { return error }
        if let bound = ProblemType.bounds[problem.slug] { notices.reached(bound, by: request.client.network) }
        if let origin = crossSiteRule.allowedOrigin(of: request) { problem.headers += Header.shared(with: origin) }
        return problem
    }
}

extension ProblemType {
    /// The option that sets the bound of which a problem speaks.
    fileprivate static let bounds = [
        tooManyNewSessions.slug: "max-new-sessions", tooManyStreams.slug: "max-streams",
        tooManySessions.slug: "max-sessions", tooManyActions.slug: "max-actions",
        lineFull.slug: "max-waiting-actions", tooManyKeys.slug: "max-keys",
        busy.slug: "action-threads",
    ]
}
