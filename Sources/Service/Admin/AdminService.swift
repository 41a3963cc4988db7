import Events
import Foundation
import HTTP
import Sessions
import ViewModels

/// What an operator and his tools ask, on a listener of its own: a full server still answers it.
///
/// It says nothing of what sessions hold, but whoever reaches it may end them: it is to listen on loopback, or where only
/// operators come.
struct AdminService: Sendable {
    /// Its connections are few, from the descriptors that the server keeps back for what is no client; it is as patient with
    /// them as the server is with its own.
    static func limits(of server: ServerLimits) -> ServerLimits {
        var limits = server
        (limits.threads, limits.connections, limits.connectionsPerAddress) = (1, 16, 16)
        return limits
    }

    /// How long the store may take to say that it is ready.
    private static let patience = Duration.seconds(2)

    let service: Service
    /// The server of the service.
    let server: Server
    /// What else `/metrics` shows.
    let watched: [any Measured]
    /// The names under which it may be asked.
    let hosts: AllowedHosts
    private let process = ProcessMeasures()

    init(service: Service, server: Server, watched: [any Measured], hosts: AllowedHosts) {
        (self.service, self.server, self.watched, self.hosts) = (service, server, watched, hosts)
    }

    /// Its routes, for a ``Server`` of its own.
    var routes: [Route] {
        [
            Route(.get, "/livez", answer: { _ in .json(Array(#"{"status":"alive"}"#.utf8), headers: []) }),
            Route(.get, "/readyz") { answerReadiness($1) },
            Route(.get, "/version", answer: { _ in .json(version, headers: []) }),
            Route(.get, "/metrics") { $1.send { await metrics() } },
        ].map { admitting($0) } + sessionRoutes
    }

    /// Asked under a name of ours, so that no page of another site reads it by a name that it leads here, and with no query
    /// but what is known.
    func admitting(_ route: Route, known names: [String] = []) -> Route {
        Route(route.method, route.template) { [hosts, handler = route.handler] request, responder in
            guard hosts.isAny || request.withHeader(.host, { hosts.allow($0) }) ?? true else {
                throw ProblemType.misdirected.problem()
            }
            try request.query().check(known: names)
            try handler(request, responder)
        }
    }

    /// Which build of which program this is; `bindery` is Bindery's own version, as in `GET /`, and so is `version`.
    private var version: [UInt8] {
        let program = service.program
        var fields = [
            ("program", program.name), ("programVersion", program.version), ("bindery", Version.current),
            ("version", Version.current),
        ]
        fields += [("revision", Version.revision), ("build", Version.build)].compactMap { name, value in
            value.map { (name, $0) }
        }
        return Array(YAML.map(fields.map { YAML.Member(key: $0, value: .text($1)) }).json.utf8)
    }

    /// Whether clients are to be sent here, and what is in the way.
    private func answerReadiness(_ responder: Responder) {
        let timeline = service.timeline
        // The first answer counts: a store that hangs is told of in time.
        Task {
            let isReady = await service.registry.isReady()
            responder.send(readiness(store: isReady ? nil : "the store takes no commits"))
        }
        let patience = Task {
            try await timeline.sleep(until: timeline.now + Self.patience)
            responder.send(readiness(store: "the store does not answer"))
        }
        responder.onHangUp { _ in patience.cancel() }
    }

    private func readiness(store: String?) -> Response {
        let held = server.loops.filter(\.isHeld).count
        let reasons = [
            service.isLeaving ? "the server is about to stop" : nil, store,
            held > 0 && held == server.limits.threads ? "all event loops are held by handlers" : nil,
        ].compactMap(\.self)
        guard !reasons.isEmpty else { return .json(Array(#"{"status":"ready"}"#.utf8), headers: []) }
        let list = reasons.map { "\"\($0)\"" }.joined(separator: ",")
        return Response.json(Array(#"{"status":"not-ready","reasons":[\#(list)]}"#.utf8), status: 503, headers: [])
            .isProblem("not-ready", because: reasons.joined(separator: "; "))
    }

    private func metrics() async -> Response {
        Response(
            headers: [Header(.contentType, MetricsText.contentType), .noStore],
            body: .bytes(MetricsText(await measures()).bytes))
    }

    /// All that can be measured.
    func measures() async -> [Measure] {
        let sessions = try? await service.registry.storedSessions()
        let own = [
            buildInfo,
            Measure(.gauge, "bindery_draining", "1 where the server is about to stop.", service.isLeaving ? 1 : 0),
        ]
        let all =
            own + server.measures + service.registry.measures
            + (sessions.map { [Measure(.gauge, "bindery_sessions", "Sessions, in memory or not.", $0)] } ?? [])
            + watched.flatMap(\.measures) + process.measures
        return all.joined()
    }

    /// `version` is Bindery's own.
    private var buildInfo: Measure {
        Measure(
            .gauge, "bindery_build_info", "Which build of which program this is; the number says nothing.",
            [
                Measure.Sample(
                    [
                        Measure.Label("version", Version.current), Measure.Label("revision", Version.revision ?? ""),
                        Measure.Label("build", Version.build ?? ""), Measure.Label("program", service.program.name),
                        Measure.Label("program_version", service.program.version),
                    ], 1)
            ])
    }
}
