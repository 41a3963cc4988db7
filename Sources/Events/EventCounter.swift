import Locking

/// Counts events on their way to a log, by what they are called: those of a part that a server is handed, as its store is, and that
/// tells a log of its own.
///
/// Safe from any thread.
package final class EventCounter: EventLog, Measured {
    private let log: (any EventLog)?
    private let counts: Lock<[String: Int]>

    /// - Parameters:
    ///   - log: is told of all that is counted.
    ///   - kinds: what is counted from the beginning, so that the first is seen to grow.
    package init(before log: (any EventLog)?, _ kinds: [Event.Kind]) {
        self.log = log
        counts = Lock(Dictionary(kinds.map { ($0.name, 0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Counts it, and tells the log.
    package func record(_ event: Event) {
        counts.withLock { $0[event.kind.name, default: 0] += 1 }
        log?.record(event)
    }

    /// Has the log write.
    package func flush() { log?.flush() }

    /// How many there were of each.
    package var measures: [Measure] { [.events(counts.withLock { $0 })] }
}

extension Measure {
    /// How often the log was told of what, by the event's name.
    package static func events(_ counts: [String: Int]) -> Measure {
        Measure(
            .counter, "bindery_events_total", "What the log was told, but for requests, by event.",
            counts.sorted { $0.key < $1.key }.map { Sample([Label("event", $0.key)], Double($0.value)) })
    }
}

extension [Measure] {
    /// The same, with those of one name in one: a family may be counted in several places, and is told once.
    package func joined() -> [Measure] {
        var (joined, places): ([Measure], [String: Int]) = ([], [:])
        for measure in self {
            guard let place = places[measure.name] else {
                places[measure.name] = joined.count
                joined.append(measure)
                continue
            }
            let first = joined[place]
            joined[place] = Measure(first.kind, first.name, first.help, first.samples + measure.samples)
        }
        return joined
    }
}
