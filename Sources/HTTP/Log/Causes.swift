import Locking
import Synchronization

/// Why requests failed, by their ids, from their answer until their line in the log.
///
/// Few requests fail, and the others are not to pay for it: they look at a number.
final class Causes: Sendable {
    /// One that is answered a second time, which is a mistake, leaves its cause behind; not for ever more of them.
    private static let most = 4096

    private let causes = Lock<[String: String]>([:])
    private let count = Atomic(0)

    func note(_ cause: String, of id: String) {
        causes.withLock { causes in
            if causes.count < Self.most { causes[id] = cause }
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
