import Foundation
import HTTP

/// The listener for operators and their tools, which a full server still answers.
///
/// It says nothing about the content of sessions, and changes nothing.
struct AdminService: Sendable {
    let service: Service
    /// The server of the service.
    let server: Server
    let metrics: Metrics
    /// The names under which the listener answers.
    let hosts: AllowedHosts
    /// In seconds since 1970: the process makes this when it starts to serve.
    private let start = Date().timeIntervalSince1970

    /// The limits of its own ``Server``: few connections, from the descriptors that the main server leaves free.
    static func limits(of server: ServerLimits) -> ServerLimits {
        var limits = server
        (limits.threads, limits.connections, limits.connectionsPerAddress) = (1, 16, 16)
        return limits
    }

    /// The routes of its own ``Server``.
    var routes: [Route] {
        let routes = [
            Route(.get, "/version") { _, responder in responder.send(.json(version.utf8)) },
            Route(.get, "/metrics") { _, responder in
                service.askStore { isReady in
                    responder.send(
                        Response(
                            headers: [Header("Content-Type", MetricsPage.contentType), .noStore],
                            body: .bytes(Array(page(isReady: isReady).text.utf8))))
                }
            },
        ]
        return (service.probeRoutes(of: server) + routes).map { route in
            // Pages of other sites must not read the listener under a name that leads to it.
            Route(route.method, route.template) { [hosts] request, responder in
                try hosts.check(request)
                try route.handler(request, responder)
            }
        }
    }

    private var version: String {
        let (name, version) = (service.program.name.quoted, service.program.version.quoted)
        let revision = Version.revision.map { #","revision":\#($0.quoted)"# } ?? ""
        return #"{"program":\#(name),"programVersion":\#(version),"version":\#(Version.current.quoted)\#(revision)}"#
    }

    private func page(isReady: Bool) -> MetricsPage {
        var page = MetricsPage()
        let (program, gauges) = (service.program, server.gauges)
        page.begin("bindery_build_info", "gauge", "The build and its program; always 1.")
        let labels = [
            ("version", Version.current), ("revision", Version.revision ?? ""), ("program", program.name),
            ("program_version", program.version),
        ].map { "\($0)=\($1.quoted)" }
        page.add("bindery_build_info{\(labels.joined(separator: ","))}", 1)
        page.gauge("bindery_draining", "1 where the server is about to stop.", service.isLeaving ? 1 : 0)
        page.gauge("bindery_store_up", "1 where the store takes commits.", isReady ? 1 : 0)
        page.gauge("bindery_connections", "Open connections.", gauges.connections)
        page.gauge("bindery_connections_limit", "The limit of connections.", server.limits.connections)
        page.gauge("bindery_requests_parked", "Requests that wait or stream.", gauges.parked)
        page.begin("bindery_requests_malformed_total", "counter", "Requests that libmicrohttpd refused by itself.")
        page.add("bindery_requests_malformed_total", gauges.malformed)
        page.gauge("bindery_streams", "Open event streams.", service.openStreams.count)
        let isHeld = gauges.heldBy != nil
        page.gauge("bindery_loop_held", "1 where a handler holds an event loop for too long.", isHeld ? 1 : 0)
        page.gauge("bindery_sessions_in_memory", "Sessions in memory.", service.registry.count)
        let effects = service.environment.effects
        page.gauge("bindery_effects_running", "Attempts of effects that run.", effects.runningCount)
        page.gauge("bindery_effects_due", "Entities with due effects that the last look found.", effects.due.count)
        page.gauge(
            "bindery_effects_oldest_due_seconds", "How long the oldest of them had been due.",
            effects.due.oldest / .seconds(1))
        metrics.write(to: &page)
        writeProcess(to: &page)
        return page
    }

    /// The kernel's numbers about this process, under the names of Prometheus's own libraries.
    private func writeProcess(to page: inout MetricsPage) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        page.begin("process_cpu_seconds_total", "counter", "Time on processors, of user and system.")
        page.add("process_cpu_seconds_total", times[0] + times[1])
        // The second field of proc_pid_statm(5) counts pages. Without a free descriptor it cannot be read.
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        if let pages = fields?.dropFirst().first.flatMap({ Int($0) }) {
            page.gauge("process_resident_memory_bytes", "Memory in RAM.", pages * sysconf(Int32(_SC_PAGESIZE)))
        }
        page.gauge("process_start_time_seconds", "The start of the server, in seconds since 1970.", start)
    }
}
