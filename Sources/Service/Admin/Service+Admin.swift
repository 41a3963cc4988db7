import Foundation
import HTTP

// The listener for operators and their tools, which a full server still answers. It says nothing about the content of
// sessions, and changes nothing.

extension Service {
    /// The routes of the listener for operators, for a ``Server`` of its own.
    ///
    /// - Parameters:
    ///   - server: the server of the service.
    ///   - hosts: the names under which the listener answers.
    func adminRoutes(of server: Server, _ metrics: Metrics, under hosts: AllowedHosts) -> [Route] {
        // The process makes the routes when it starts to serve.
        let start = Date().timeIntervalSince1970
        let routes = [
            Route(.get, "/version") { [self] _, responder in responder.send(.json(build.utf8)) },
            Route(.get, "/metrics") { [self] _, responder in
                askStore { [self] isReady in
                    var page = page(of: server, isReady: isReady)
                    metrics.write(to: &page)
                    page.addProcess(startedAt: start)
                    let headers = [Header("Content-Type", MetricsPage.contentType), .noStore]
                    responder.send(Response(headers: headers, body: .bytes(Array(page.text.utf8))))
                }
            },
        ]
        return (probeRoutes(of: server) + routes).map { route in
            // Pages of other sites must not read the listener under a name that leads to it.
            Route(route.method, route.template) { request, responder in
                try hosts.check(request)
                try route.handler(request, responder)
            }
        }
    }

    private var build: String {
        let (name, version) = (program.name.quoted, program.version.quoted)
        let revision = Version.revision.map { #","revision":\#($0.quoted)"# } ?? ""
        return #"{"program":\#(name),"programVersion":\#(version),"version":\#(Version.current.quoted)\#(revision)}"#
    }

    private func page(of server: Server, isReady: Bool) -> MetricsPage {
        var page = MetricsPage()
        let gauges = server.gauges
        page.begin("bindery_build_info", "gauge", "The build and its program; always 1.")
        let labels = [
            ("version", Version.current), ("revision", Version.revision ?? ""), ("program", program.name),
            ("program_version", program.version),
        ].map { "\($0)=\($1.quoted)" }
        page.add("bindery_build_info{\(labels.joined(separator: ","))}", 1)
        page.gauge("bindery_draining", "1 where the server is about to stop.", isLeaving ? 1 : 0)
        page.gauge("bindery_store_up", "1 where the store takes commits.", isReady ? 1 : 0)
        page.gauge("bindery_connections", "Open connections.", gauges.connections)
        page.gauge("bindery_connections_limit", "The limit of connections.", server.limits.connections)
        page.gauge("bindery_requests_parked", "Requests that wait or stream.", gauges.parked)
        page.begin("bindery_requests_malformed_total", "counter", "Requests that libmicrohttpd refused by itself.")
        page.add("bindery_requests_malformed_total", gauges.malformed)
        page.gauge("bindery_streams", "Open event streams.", openStreams.count)
        let isHeld = gauges.heldFor > .seconds(1)
        page.gauge("bindery_loop_held", "1 where a handler holds an event loop for too long.", isHeld ? 1 : 0)
        page.gauge("bindery_sessions_in_memory", "Sessions in memory.", registry.count)
        let effects = environment.effects
        page.gauge("bindery_effects_running", "Attempts of effects that run.", effects.runningCount)
        page.gauge("bindery_effects_due", "Entities with due effects that the last look found.", effects.due.count)
        page.gauge(
            "bindery_effects_oldest_due_seconds", "How long the oldest of them had been due.",
            effects.due.oldest / .seconds(1))
        return page
    }
}

extension MetricsPage {
    /// Adds the kernel's numbers about this process, under the names of Prometheus's own libraries.
    ///
    /// - Parameter start: in seconds since 1970.
    fileprivate mutating func addProcess(startedAt start: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        begin("process_cpu_seconds_total", "counter", "Time on processors, of user and system.")
        add("process_cpu_seconds_total", times[0] + times[1])
        // The second field of proc_pid_statm(5) counts pages. Without a free descriptor it cannot be read.
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        if let pages = fields?.dropFirst().first.flatMap({ Int($0) }) {
            gauge("process_resident_memory_bytes", "Memory in RAM.", pages * sysconf(Int32(_SC_PAGESIZE)))
        }
        gauge("process_start_time_seconds", "The start of the server, in seconds since 1970.", start)
    }
}
