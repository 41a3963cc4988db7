import Events
import HTTP

/// The listener for operators and their tools, which a full server still answers.
///
/// It says nothing about the content of sessions, and changes nothing.
package final class AdminService: Sendable {
    private let service: Service
    /// The server of the service.
    private let server: Server
    private let watched: [any Measured]
    private let hosts: AllowedHosts
    private let process = ProcessMeasures()

    /// - Parameters:
    ///   - watched: more measures for `/metrics`.
    ///   - hosts: the names under which the listener answers.
    init(service: Service, server: Server, watched: [any Measured], hosts: AllowedHosts) {
        (self.service, self.server, self.watched, self.hosts) = (service, server, watched, hosts)
    }

    /// The limits of its own ``Server``: few connections, from the descriptors that the main server leaves free.
    static func limits(of server: ServerLimits) -> ServerLimits {
        var limits = server
        (limits.threads, limits.connections, limits.connectionsPerAddress) = (1, 16, 16)
        return limits
    }

    /// The routes of its own ``Server``.
    package var routes: [Route] {
        let version = version
        let routes = [
            Route(.get, "/version") { _, responder in responder.send(.json(version)) },
            Route(.get, "/metrics") { [self] _, responder in
                service.askStore { responder.send(self.metrics(isReady: $0)) }
            },
        ]
        return (service.probeRoutes + routes).map(checkingHost)
    }

    /// Keeps pages of other sites from reading the listener under a name that leads to it.
    private func checkingHost(_ route: Route) -> Route {
        Route(route.method, route.template) { [hosts] request, responder in
            let isAllowed = hosts.isAny || request.withHeader(.host) { hosts.allow($0) } ?? true
            guard isAllowed else { throw ProblemType.misdirectedRequest.problem() }
            try route.handler(request, responder)
        }
    }

    private var version: [UInt8] {
        let fields = [
            ("program", service.program.name), ("programVersion", service.program.version),
            ("version", Version.current), ("revision", Version.revision), ("build", Version.build),
        ]
        let members = fields.compactMap { name, value in value.map { "\"\(name)\":\(YAMLText.quoted($0))" } }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    private func metrics(isReady: Bool) -> Response {
        Response(
            headers: [Header(.contentType, MetricsText.contentType), .noStore],
            body: .bytes(MetricsText.text(of: measures(isReady: isReady))))
    }

    private func measures(isReady: Bool) -> [Measure] {
        let (gauges, limits) = (server.gauges, server.limits)
        let isHeld = server.loops.contains { $0.heldBy != nil }
        return [
            buildInfo,
            Measure(.gauge, "bindery_draining", "1 where the server is about to stop.", service.isLeaving ? 1 : 0),
            Measure(.gauge, "bindery_store_up", "1 where the store takes commits.", isReady ? 1 : 0),
            Measure(.gauge, "bindery_connections", "Open connections.", gauges.connections),
            Measure(.gauge, "bindery_connections_limit", "The limit of connections.", limits.connections),
            Measure(.gauge, "bindery_requests_running", "Requests that arrive, wait or are answered.", gauges.running),
            Measure(.gauge, "bindery_requests_parked", "Of these, those that wait or stream.", gauges.parked),
            Measure(.gauge, "bindery_streams", "Open event streams.", service.openStreams),
            Measure(.gauge, "bindery_loop_held", "1 where a handler holds an event loop for too long.", isHeld ? 1 : 0),
            Measure(.gauge, "bindery_sessions_in_memory", "Sessions in memory.", service.registry.count),
            Measure(
                .gauge, "bindery_sessions_limit", "The limit of sessions in memory.", service.registry.limits.entities),
        ] + watched.flatMap(\.measures) + process.measures
    }

    private var buildInfo: Measure {
        let labels = [
            Measure.Label("version", Version.current), Measure.Label("revision", Version.revision ?? ""),
            Measure.Label("build", Version.build ?? ""), Measure.Label("program", service.program.name),
            Measure.Label("program_version", service.program.version),
        ]
        let help = "The build and its program; always 1."
        return Measure(.gauge, "bindery_build_info", help, [Measure.Sample(labels, 1)])
    }
}
