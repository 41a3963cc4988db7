import Locking
import Synchronization

/// Why requests failed, by their ids, from their answer until their line in the log.
///
/// Few requests fail, and the others are not to pay for it: they look at a number.
final class Causes: Sendable {
    private let causes = Lock<[String: String]>([:])
    private let count = Atomic(0)

    /// How many wait for their line.
    var waiting: Int { count.load(ordering: .relaxed) }

    func note(_ cause: String, of id: String) {
        causes.withLock { causes in
            causes[id] = cause
            count.store(causes.count, ordering: .relaxed)
        }
    }

    /// Takes the cause out.
    func take(of id: String) -> String? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return causes.withLock { causes in
            defer { count.store(causes.count, ordering: .relaxed) }
            return causes.removeValue(forKey: id)
        }
    }
}
