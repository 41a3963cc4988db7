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
