import Events
import Foundation
import HTTP
import Locking

/// Counts requests and events, and passes them to the log.
final class Metrics: ExchangeLog {
    private struct Counts: Sendable {
        /// By the index of the route; -1 for requests without a route.
        var routes: [Int: Route] = [:]
        /// Each kind starts at 0, so that a dashboard shows the first event as an increase.
        var events = Dictionary(uniqueKeysWithValues: Event.Kind.ofServer.map { ($0.name, 0) })
    }

    private struct Route {
        /// The upper bounds of the buckets in microseconds, as in most dashboards.
        static let bounds = [
            500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
            10_000_000, 30_000_000,
        ]

        let labels: String
        /// A short list, mostly with the most frequent first.
        var endings: [(status: Int, problem: String, count: Int)] = []
        /// The number of requests in each bucket; the last bucket has no bound.
        var durations = [Int](repeating: 0, count: bounds.count + 1)
        var microseconds = 0

        init(_ entry: ExchangeEntry) {
            // A GET route also serves HEAD. A request without a route may have any method.
            let method = entry.routePlace == nil ? "-" : entry.method == "HEAD" ? "GET" : entry.method ?? "-"
            labels = "route=\"\(entry.route)\",method=\"\(method)\""
        }

        mutating func add(_ entry: ExchangeEntry) {
            microseconds += entry.microseconds
            durations[Self.bounds.firstIndex { entry.microseconds <= $0 } ?? Self.bounds.count] += 1
            let problem = entry.problem ?? ""
            let place = endings.firstIndex { $0.status == entry.status && $0.problem == problem }
            if place == nil { endings.append((entry.status, problem, 0)) }
            endings[place ?? endings.count - 1].count += 1
        }

        var requests: [String] {
            endings.map { "{\(labels),status=\"\($0.status)\",problem=\"\($0.problem)\"} \($0.count)" }
        }

        var histogram: [String] {
            var total = 0
            let bounds = Self.bounds.map { "\(Double($0) / 1e6)" } + ["+Inf"]
            let buckets = zip(bounds, durations).map { bound, count in
                total += count
                return "_bucket{\(labels),le=\"\(bound)\"} \(total)"
            }
            return buckets + ["_sum{\(labels)} \(Double(microseconds) / 1e6)", "_count{\(labels)} \(total)"]
        }
    }

    private let log: (any ExchangeLog)?
    private let counts = Lock(Counts())

    /// - Parameter log: receives each request and event after the count.
    init(before log: (any ExchangeLog)?) { self.log = log }

    func record(_ entry: ExchangeEntry) {
        counts.withLock { $0.routes[entry.routePlace ?? -1, default: Route(entry)].add(entry) }
        log?.record(entry)
    }

    func record(_ event: Event) {
        counts.withLock { $0.events[event.kind.name, default: 0] += 1 }
        log?.record(event)
    }

    func flush() { log?.flush() }

    /// Adds the counts to a page.
    func write(to page: inout MetricsPage) {
        let counts = counts.withLock { $0 }
        let routes = counts.routes.sorted { $0.key < $1.key }.map(\.value)
        let events = counts.events.sorted { $0.key < $1.key }.map { "{event=\"\($0.key)\"} \($0.value)" }
        page.add(
            "bindery_requests_total", "counter", "Requests, by route, method, status and problem.",
            routes.flatMap(\.requests))
        page.add(
            "bindery_request_duration_seconds", "histogram",
            "From the complete request to its answer, with the wait of polls and streams.", routes.flatMap(\.histogram))
        page.add("bindery_events_total", "counter", "Events of the log, by name.", events)
    }
}

/// Metrics in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
struct MetricsPage {
    private(set) var text = ""

    /// Adds a metric; each sample is the text after the name in its line.
    mutating func add(_ name: String, _ kind: String, _ help: String, _ samples: [String]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        for sample in samples { text += "\(name)\(sample)\n" }
    }

    /// Adds a metric with one number, which can rise and fall.
    mutating func gauge(_ name: String, _ help: String, _ value: some Numeric) {
        add(name, "gauge", help, [" \(value)"])
    }

    /// Adds the kernel's numbers about this process, with the names that Prometheus's client libraries use.
    ///
    /// - Parameter start: in seconds since 1970.
    mutating func addProcess(startedAt start: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        add("process_cpu_seconds_total", "counter", "Time on processors.", [" \(times[0] + times[1])"])
        // The second field of proc_pid_statm(5) counts pages. The read fails if the process has no free descriptor.
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        if let pages = fields?.dropFirst().first.flatMap({ Int($0) }) {
            gauge("process_resident_memory_bytes", "Memory in RAM.", pages * sysconf(Int32(_SC_PAGESIZE)))
        }
        gauge("process_start_time_seconds", "The start of the server, in seconds since 1970.", start)
    }
}

// The listener for operators and their tools. It answers even if the server is full.
// It shows no content of sessions, and changes nothing.
extension Service {
    /// The routes of the listener for operators, which is a separate ``Server``.
    ///
    /// - Parameters:
    ///   - server: the server of the service.
    ///   - hosts: the host names that clients of the listener may use.
    func adminRoutes(of server: Server, _ metrics: Metrics, under hosts: AllowedHosts) -> [Route] {
        // The process makes these routes once, at its start.
        let start = Date().timeIntervalSince1970
        let routes = [
            Route(.get, "/version") { [self] _, responder in
                let revision = Version.revision.map { #","revision":\#($0.quoted)"# } ?? ""
                let json =
                    #"{"program":\#(program.name.quoted),"programVersion":\#(program.version.quoted),"#
                    + #""version":\#(Version.current.quoted)\#(revision)}"#
                responder.send(.json(json.utf8))
            },
            Route(.get, "/metrics") { [self] _, responder in
                askStore { [self] isReady in
                    var page = page(of: server, isReady: isReady)
                    metrics.write(to: &page)
                    page.addProcess(startedAt: start)
                    let headers = [Header("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), .noStore]
                    responder.send(Response(headers: headers, body: .bytes(Array(page.text.utf8))))
                }
            },
        ]
        return (probeRoutes(of: server) + routes).map { route in
            // A page of another site must not read the answers through a name that points here (DNS rebinding).
            Route(route.method, route.template) { request, responder in
                try hosts.check(request)
                try route.handler(request, responder)
            }
        }
    }

    private func page(of server: Server, isReady: Bool) -> MetricsPage {
        var page = MetricsPage()
        let (gauges, effects) = (server.gauges, environment.effects)
        let labels = [
            ("version", Version.current), ("revision", Version.revision ?? ""), ("program", program.name),
            ("program_version", program.version),
        ].map { "\($0)=\($1.quoted)" }.joined(separator: ",")
        page.add("bindery_build_info", "gauge", "The build and its program; always 1.", ["{\(labels)} 1"])
        page.gauge("bindery_draining", "1 while the server is about to stop.", isLeaving ? 1 : 0)
        page.gauge("bindery_store_up", "1 while the store takes commits.", isReady ? 1 : 0)
        page.gauge("bindery_connections", "Open connections.", gauges.connections)
        page.gauge("bindery_connections_limit", "The limit of connections.", server.limits.connections)
        page.gauge("bindery_requests_parked", "Requests that wait, and streams.", gauges.parked)
        page.add(
            "bindery_requests_malformed_total", "counter", "Requests that libmicrohttpd refused by itself.",
            [" \(gauges.malformed)"])
        page.gauge("bindery_streams", "Open event streams.", openStreams.count)
        let isHeld = gauges.heldFor > .seconds(1)
        page.gauge("bindery_loop_held", "1 while a handler holds an event loop for over 1 s.", isHeld ? 1 : 0)
        page.gauge("bindery_sessions_in_memory", "Sessions in memory.", registry.count)
        page.gauge("bindery_effects_running", "Attempts of effects that run.", effects.runningCount)
        page.gauge("bindery_effects_due", "Entities with due effects at the last check.", effects.due.count)
        page.gauge(
            "bindery_effects_oldest_due_seconds", "How long the oldest due effect had been due then.",
            effects.due.oldest / .seconds(1))
        return page
    }
}
