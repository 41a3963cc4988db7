import Locking

/// Notes which of the Variables that it follows were set.
///
/// For who hosts many Variables and asks after each turn what changed: a set that is noted costs a tenth of one that is
/// posted to an observer of a center. Neither keeps the other alive, and a Variable may be followed by several. Safe from
/// any thread.
public final class ChangeRecorder: Sendable {
    private let setters = Lock<[ObjectIdentifier]>([])

    /// A recorder that follows nobody.
    public init() {}

    /// Notes every set of `variable` from here on; to follow twice is to follow once.
    public func follow(_ variable: some ReadableVariable) {
        variable.constant.variable.note(on: self)
    }

    /// The identities of the Variables that were set since the last call, each once, in the order of their first sets.
    public func drain() -> [ObjectIdentifier] {
        setters.withLock { setters in
            defer { setters.removeAll(keepingCapacity: true) }
            return setters
        }
    }

    /// Called in the setter's thread, with no lock held, before the set is posted.
    @usableFromInline
    func note(_ variable: ObjectIdentifier) {
        // Few are set between two calls, however often; nobody may ask for a long time.
        setters.withLock { if !$0.contains(variable) { $0.append(variable) } }
    }
}
