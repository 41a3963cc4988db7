import HTTP
import Locking

/// Keeps every entry.
final class RecordingLog: ExchangeLog {
    private let kept = Lock<[ExchangeEntry]>([])
    private let held = Lock<[HeldLoop]>([])
    private let bounds = Lock<[BoundNotice]>([])

    var entries: [ExchangeEntry] { kept.withLock { $0 } }

    /// The event loops that were held.
    var heldLoops: [HeldLoop] { held.withLock { $0 } }

    /// The bounds that were reached.
    var notices: [BoundNotice] { bounds.withLock { $0 } }

    func record(_ notice: BoundNotice) { bounds.withLock { $0.append(notice) } }

    func record(_ held: HeldLoop) { self.held.withLock { $0.append(held) } }

    func record(_ entry: ExchangeEntry) {
        kept.withLock { $0.append(entry) }
    }
}
