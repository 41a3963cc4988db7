import Events
import HTTP
import Locking

/// Counts requests on their way to the log.
///
/// One lock a route: what is counted of a request is a part of its cost.
final class RequestMetrics: ExchangeLog, Measured {
    /// The requests of one route.
    private final class Route: Sendable {
        let counts = Lock(Counts())
    }

    private struct Counts: Sendable {
        struct Ending: Sendable {
            let method: String?
            let status: Int
            let problem: String?
            var count = 0

            func isOf(_ entry: ExchangeEntry) -> Bool {
                status == entry.status && method == entry.method && problem == entry.problem
            }
        }

        /// Few, the most frequent mostly first.
        var endings: [Ending] = []
        var durations = Histogram()
        var bytes = 0
    }

    private let log: (any ExchangeLog)?
    private let templates: [(method: Method, template: String)]
    /// One for each route, and one for what has none.
    private let routes: [Route]
    /// Answers that were not sent whole, by why.
    private let unsent = Lock<[ExchangeEntry.Ending: Int]>([:])

    /// - Parameters:
    ///   - routes: those of the server whose requests are counted.
    ///   - log: is told of all that is counted.
    init(of routes: [HTTP.Route], before log: (any ExchangeLog)?) {
        self.log = log
        templates = routes.map { ($0.method, $0.template) }
        self.routes = (0...routes.count).map { _ in Route() }
    }

    func record(_ entry: ExchangeEntry) {
        routes[entry.routePlace ?? templates.count].counts.withLock { counts in
            counts.durations.add(microseconds: entry.microseconds)
            counts.bytes += entry.bytes
            if let place = counts.endings.firstIndex(where: { $0.isOf(entry) }) {
                counts.endings[place].count += 1
            } else {
                counts.endings.append(
                    Counts.Ending(method: entry.method, status: entry.status, problem: entry.problem, count: 1))
            }
        }
        if entry.ending != .sent { unsent.withLock { $0[entry.ending, default: 0] += 1 } }
        log?.record(entry)
    }

    func record(_ event: Event) { log?.record(event) }

    func flush() { log?.flush() }

    var measures: [Measure] {
        var (requests, durations, bytes): ([Measure.Sample], [Measure.Sample], [Measure.Sample]) = ([], [], [])
        for (place, route) in routes.enumerated() {
            let counts = route.counts.withLock { $0 }
            guard !counts.endings.isEmpty else { continue }
            // A GET route serves HEAD, too; what has no route may have had any method.
            let (method, template) =
                place < templates.count ? (templates[place].method.rawValue, templates[place].template) : ("-", "-")
            let route = [Measure.Label("route", template)]
            let labels = route + [Measure.Label("method", method)]
            durations += counts.durations.samples(labels)
            bytes.append(Measure.Sample(labels, Double(counts.bytes)))
            for ending in counts.endings {
                let labels =
                    route + [
                        Measure.Label("method", ending.method ?? "-"),
                        Measure.Label("status", "\(ending.status)"), Measure.Label("problem", ending.problem ?? ""),
                    ]
                requests.append(Measure.Sample(labels, Double(ending.count)))
            }
        }
        return [
            Measure(
                .counter, "bindery_requests_total", "Requests that are over, by route, method, status and problem.",
                requests),
            Measure(
                .histogram, "bindery_request_duration_seconds",
                "From a complete request to its answer; of a poll or stream that is the wait.",
                durations),
            Measure(.counter, "bindery_response_bytes_total", "Bytes of the bodies of answers.", bytes),
            unsentAnswers,
        ]
    }
    /// Each from the beginning, so that the first is seen to grow.
    private var unsentAnswers: Measure {
        let counts = unsent.withLock { $0 }
        let endings: [ExchangeEntry.Ending] = [.clientGone, .stopped]
        return Measure(
            .counter, "bindery_answers_unsent_total",
            "Answers to clients that had hung up, and those given when the server stopped.",
            endings.map { Measure.Sample([Measure.Label("ending", $0.rawValue)], Double(counts[$0, default: 0])) })
    }
}
