import HTTP
import Synchronization

/// Keeps every entry.
final class RecordingLog: ExchangeLog {
    private let kept = Mutex<[ExchangeEntry]>([])

    var entries: [ExchangeEntry] { kept.withLock { $0 } }

    func record(_ entry: ExchangeEntry) {
        kept.withLock { $0.append(entry) }
    }
}
