import HTTP
import Locking

/// Keeps every entry.
final class RecordingLog: ExchangeLog {
    private let kept = Lock<[ExchangeEntry]>([])

    var entries: [ExchangeEntry] { kept.withLock { $0 } }

    func record(_ entry: ExchangeEntry) {
        kept.withLock { $0.append(entry) }
    }
}
