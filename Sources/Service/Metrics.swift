import Events
import Foundation
import HTTP
import Locking

/// Counts requests and events on their way to the log.
final class Metrics: ExchangeLog {
    private struct Counts: Sendable {
        /// By the place of the route, -1 for requests without one.
        var routes: [Int: Route] = [:]
        /// From the beginning, so that the first one is seen as an increase.
        var events = Dictionary(uniqueKeysWithValues: Event.Kind.ofServer.map { ($0.name, 0) })
    }

    private struct Route {
        /// In microseconds: the bounds of most dashboards.
        static let bounds = [
            500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
            10_000_000, 30_000_000,
        ]

        let labels: String
        /// Few, the most frequent mostly first.
        var endings: [(status: Int, problem: String, count: Int)] = []
        /// The requests up to each bound, and the longer ones.
        var durations = [Int](repeating: 0, count: bounds.count + 1)
        var microseconds = 0

        init(_ entry: ExchangeEntry) {
            // A GET route serves HEAD, too. A request without a route may have any method.
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

    /// - Parameter log: gets all that is counted.
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
            "From the complete request to its answer, in polls and streams with the wait.", routes.flatMap(\.histogram))
        page.add("bindery_events_total", "counter", "Events of the log, by name.", events)
    }
}

/// Metrics in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
struct MetricsPage {
    private(set) var text = ""

    /// Adds a metric; a sample is the rest of its line after the name.
    mutating func add(_ name: String, _ kind: String, _ help: String, _ samples: [String]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        for sample in samples { text += "\(name)\(sample)\n" }
    }

    /// Adds a metric of one number that rises and falls.
    mutating func gauge(_ name: String, _ help: String, _ value: some Numeric) {
        add(name, "gauge", help, [" \(value)"])
    }

    /// Adds the kernel's numbers about this process, under the names of Prometheus's own libraries.
    ///
    /// - Parameter start: in seconds since 1970.
    mutating func addProcess(startedAt start: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        add("process_cpu_seconds_total", "counter", "Time on processors.", [" \(times[0] + times[1])"])
        // The second field of proc_pid_statm(5) counts pages. Without a free descriptor it cannot be read.
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        if let pages = fields?.dropFirst().first.flatMap({ Int($0) }) {
            gauge("process_resident_memory_bytes", "Memory in RAM.", pages * sysconf(Int32(_SC_PAGESIZE)))
        }
        gauge("process_start_time_seconds", "The start of the server, in seconds since 1970.", start)
    }
}

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
            // Pages of other sites must not read the listener under a name that leads to it.
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
        page.gauge("bindery_draining", "1 where the server is about to stop.", isLeaving ? 1 : 0)
        page.gauge("bindery_store_up", "1 where the store takes commits.", isReady ? 1 : 0)
        page.gauge("bindery_connections", "Open connections.", gauges.connections)
        page.gauge("bindery_connections_limit", "The limit of connections.", server.limits.connections)
        page.gauge("bindery_requests_parked", "Requests that wait or stream.", gauges.parked)
        page.add(
            "bindery_requests_malformed_total", "counter", "Requests that libmicrohttpd refused by itself.",
            [" \(gauges.malformed)"])
        page.gauge("bindery_streams", "Open event streams.", openStreams.count)
        let isHeld = gauges.heldFor > .seconds(1)
        page.gauge("bindery_loop_held", "1 where a handler holds an event loop for too long.", isHeld ? 1 : 0)
        page.gauge("bindery_sessions_in_memory", "Sessions in memory.", registry.count)
        page.gauge("bindery_effects_running", "Attempts of effects that run.", effects.runningCount)
        page.gauge("bindery_effects_due", "Entities with due effects that the last look found.", effects.due.count)
        page.gauge(
            "bindery_effects_oldest_due_seconds", "How long the oldest of them had been due.",
            effects.due.oldest / .seconds(1))
        return page
    }
}
