import Events
import HTTP
import Locking

/// A log that keeps everything.
final class RecordedLog: ExchangeLog {
    private let kept = Lock<(entries: [ExchangeEntry], events: [Event])>(([], []))

    var entries: [ExchangeEntry] { kept.withLock { $0.entries } }
    func record(_ entry: ExchangeEntry) { kept.withLock { $0.entries.append(entry) } }
    func record(_ event: Event) { kept.withLock { $0.events.append(event) } }
    func events(_ name: String) -> [Event] { kept.withLock { $0.events }.filter { $0.kind.name == name } }
}
