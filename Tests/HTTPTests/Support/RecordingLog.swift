import Events
import Locking

@testable import HTTP

/// Keeps every entry.
final class RecordingLog: ExchangeLog {
    private let kept = Lock<[ExchangeEntry]>([])
    private let told = Lock<[Event]>([])

    var entries: [ExchangeEntry] { kept.withLock { $0 } }

    /// What else was told.
    var events: [Event] { told.withLock { $0 } }

    /// The event loops that were held.
    var heldLoops: [Event] { events.filter { $0.kind == .loopHeld } }

    func record(_ event: Event) { told.withLock { $0.append(event) } }

    func record(_ entry: ExchangeEntry) { kept.withLock { $0.append(entry) } }
}
