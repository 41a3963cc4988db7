import Events
import HTTP
import Locking
import Sessions

/// Counts events on their way to the log.
final class EventMetrics: ExchangeLog, Measured {
    private let log: (any ExchangeLog)?
    /// By kind, and by what they are about.
    private let counts: Lock<[String: [String: Int]]>

    /// - Parameters:
    ///   - log: is told of all that is counted.
    ///   - viewModels: what may be unreadable: a count that is there from the beginning, so that the first is seen to grow.
    init(before log: (any ExchangeLog)?, viewModels: [String]) {
        self.log = log
        let none = Dictionary(viewModels.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
        counts = Lock([Event.Kind.modelUnreadable.name: none])
    }

    func record(_ entry: ExchangeEntry) { log?.record(entry) }

    func record(_ event: Event) {
        // Of some only so many are told a second; the others are in the count of the next.
        let count = if case .number(let count)? = event["count"] { count } else { 1 }
        let subject = if case .text(let text)? = event["bound"] ?? event["viewModel"] { text } else { "" }
        counts.withLock { $0[event.kind.name, default: [:]][subject, default: 0] += count }
        log?.record(event)
    }

    func flush() { log?.flush() }

    var measures: [Measure] {
        let counts = counts.withLock { $0 }
        return [
            .events(counts.mapValues { $0.values.reduce(0, +) }),
            Measure(
                .counter, "bindery_bound_reached_total", "Who was refused because a bound was reached, by the option.",
                Self.samples(counts[Event.Kind.boundReached.name] ?? [:], by: "bound")),
            Measure(
                .counter, "bindery_models_unreadable_total",
                "Stored models that this build could not read when their session was read.",
                Self.samples(counts[Event.Kind.modelUnreadable.name] ?? [:], by: "view_model")),
        ]
    }

    private static func samples(_ counts: [String: Int], by label: String) -> [Measure.Sample] {
        counts.sorted { $0.key < $1.key }.map { Measure.Sample([Measure.Label(label, $0.key)], Double($0.value)) }
    }
}
