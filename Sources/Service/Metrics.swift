import Events
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
        let requests = "bindery_requests_total"
        page.begin(requests, "counter", "Requests, by route, method, status and problem.")
        for route in routes {
            for ending in route.endings {
                let labels = "\(route.labels),status=\"\(ending.status)\",problem=\"\(ending.problem)\""
                page.add("\(requests){\(labels)}", ending.count)
            }
        }
        let duration = "bindery_request_duration_seconds"
        page.begin(
            duration, "histogram", "From the complete request to its answer, in polls and streams with the wait.")
        for route in routes {
            var total = 0
            for (place, count) in route.durations.enumerated() {
                total += count
                let bound = place < Route.bounds.count ? "\(Double(Route.bounds[place]) / 1e6)" : "+Inf"
                page.add("\(duration)_bucket{\(route.labels),le=\"\(bound)\"}", total)
            }
            page.add("\(duration)_sum{\(route.labels)}", Double(route.microseconds) / 1e6)
            page.add("\(duration)_count{\(route.labels)}", total)
        }
        page.begin("bindery_events_total", "counter", "Events of the log, by name.")
        for (event, count) in counts.events.sorted(by: { $0.key < $1.key }) {
            page.add("bindery_events_total{event=\"\(event)\"}", count)
        }
    }
}

/// Metrics in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
struct MetricsPage {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Begins a metric, whose samples follow.
    mutating func begin(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Adds a sample; the name may have labels.
    mutating func add(_ name: String, _ value: some Numeric) { text += "\(name) \(value)\n" }

    /// Adds a metric of one number that rises and falls.
    mutating func gauge(_ name: String, _ help: String, _ value: some Numeric) {
        begin(name, "gauge", help)
        add(name, value)
    }
}
