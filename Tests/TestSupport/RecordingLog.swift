import Events
import HTTP

/// A log that keeps every entry and event.
package final class RecordingLog: ExchangeLog {
    private let kept = History<ExchangeEntry>()
    private let told = History<Event>()

    /// An empty log.
    package init() {}

    package var entries: [ExchangeEntry] { kept.all }
    package var events: [Event] { told.all }

    package func record(_ event: Event) { told.append(event) }
    package func record(_ entry: ExchangeEntry) { kept.append(entry) }
}
