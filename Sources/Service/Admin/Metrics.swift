import Events
import HTTP
import Locking

/// Counts requests and events on their way to the log.
final class Metrics: ExchangeLog, Measured {
    private struct Ending {
        let method: String
        let status: Int
        let problem: String
        var count = 0
    }

    private struct Route {
        let labels: [Measure.Label]
        /// Few, the most frequent mostly first.
        var endings: [Ending] = []
        var durations = Histogram()

        init(_ entry: ExchangeEntry) {
            // A GET route serves HEAD, too. A request without a route may have any method.
            let method = entry.routePlace == nil ? "-" : entry.method == "HEAD" ? "GET" : entry.method ?? "-"
            labels = [Measure.Label("route", entry.route), Measure.Label("method", method)]
        }

        mutating func add(_ entry: ExchangeEntry) {
            let (method, problem) = (entry.method ?? "-", entry.problem ?? "")
            durations.add(microseconds: entry.microseconds)
            let place = endings.firstIndex {
                $0.status == entry.status && $0.method == method && $0.problem == problem
            }
            if place == nil { endings.append(Ending(method: method, status: entry.status, problem: problem)) }
            endings[place ?? endings.count - 1].count += 1
        }
    }

    private struct Counts: Sendable {
        /// By the place of the route, -1 for requests without one.
        var routes: [Int: Route] = [:]
        /// From the beginning, so that the first one is seen as an increase.
        var events = Dictionary(uniqueKeysWithValues: Event.Kind.ofServer.map { ($0.name, 0) })
        var bounds: [String: Int] = [:]
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
        counts.withLock { counts in
            counts.events[event.kind.name, default: 0] += 1
            if case .text(let bound)? = event["bound"] { counts.bounds[bound, default: 0] += 1 }
        }
        log?.record(event)
    }

    func flush() { log?.flush() }

    var measures: [Measure] {
        let counts = counts.withLock { $0 }
        let routes = counts.routes.sorted { $0.key < $1.key }.map(\.value)
        let requests = routes.flatMap { route in
            route.endings.map { ending in
                Measure.Sample(
                    [
                        route.labels[0], Measure.Label("method", ending.method),
                        Measure.Label("status", "\(ending.status)"), Measure.Label("problem", ending.problem),
                    ], Double(ending.count))
            }
        }
        return [
            Measure(.counter, "bindery_requests_total", "Requests, by route, method, status and problem.", requests),
            Measure(
                .histogram, "bindery_request_duration_seconds",
                "From the complete request to its answer, in polls and streams with the wait.",
                routes.flatMap { $0.durations.samples($0.labels) }),
            Self.counter("bindery_bound_reached_total", "Refusals at a bound, by its option.", "bound", counts.bounds),
            Self.counter("bindery_events_total", "Events of the log, by name.", "event", counts.events),
        ] + ((log as? any Measured)?.measures ?? [])
    }

    private static func counter(_ name: String, _ help: String, _ label: String, _ counts: [String: Int]) -> Measure {
        let samples = counts.sorted { $0.key < $1.key }.map {
            Measure.Sample([Measure.Label(label, $0.key)], Double($0.value))
        }
        return Measure(.counter, name, help, samples)
    }
}

/// Measures in the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text of measures; a measure without numbers is left out.
    static func text(of measures: [Measure]) -> [UInt8] {
        var text = ""
        for measure in measures where !measure.samples.isEmpty {
            text += "# HELP \(measure.name) \(measure.help)\n# TYPE \(measure.name) \(measure.kind.rawValue)\n"
            for sample in measure.samples {
                let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
                let name = measure.name + sample.suffix + (labels.isEmpty ? "" : "{\(labels)}")
                text += "\(name) \(number(sample.value))\n"
            }
        }
        return Array(text.utf8)
    }

    /// A whole number has no fraction.
    private static func number(_ value: Double) -> String {
        value.magnitude < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
