import Events
import Locking

/// A log that is kept to be looked at.
package final class RecordedEvents: EventLog {
    private let kept = Lock<[Event]>([])

    package init() {}

    /// All events so far.
    package var all: [Event] { kept.withLock { $0 } }

    /// Those of a name.
    package func named(_ name: String) -> [Event] { all.filter { $0.kind.name == name } }

    package func record(_ event: Event) { kept.withLock { $0.append(event) } }
}

extension EventPace {
    /// A pace by a timeline that a test moves.
    package convenience init(log: any EventLog, by timeline: ManualTimeline) {
        self.init(log: log, now: { timeline.now }, sleep: { try await timeline.sleep(until: $0) })
    }
}
