/// A receiver of a Variable's changes: an observation's delivery, or a reader of its values.
///
/// Taking a change in and acting on it are two calls, so that the order is decided under the Variable's lock and
/// nothing is called, resumed or released while that lock is held.
///
/// An enum and not a protocol, so that a set calls them directly and specialised (see ``Variable``).
enum Subscriber<Value: Sendable>: Sendable {
    case delivery(Delivery<Value>)
    case reader(ValuesStorage<Value>)

    /// The identity of the center it observes through.
    var center: ObjectIdentifier? {
        switch self {
        case .delivery(let delivery): delivery.centerID
        case .reader: nil
        }
    }

    /// Notes a change, or returns false when it has ended.
    ///
    /// Called under the Variable's lock, so in the order of the sets: it must call nobody.
    func enqueue(_ value: Value) -> Bool {
        switch self {
        case .delivery(let delivery): delivery.enqueue(value)
        case .reader(let reader): reader.enqueue(value)
        }
    }

    /// Acts on what was noted, with no lock held, in each thread that set.
    func flush() {
        switch self {
        case .delivery(let delivery): delivery.flush()
        case .reader(let reader): reader.flush()
        }
    }

    /// Whether it has ended; it may be called under the Variable's lock.
    var isEnded: Bool {
        switch self {
        case .delivery(let delivery): delivery.isCancelled
        case .reader(let reader): reader.isEnded
        }
    }

    /// The Variable goes away.
    func sourceEnded() {
        switch self {
        case .delivery(let delivery): delivery.end()
        case .reader(let reader): reader.sourceEnded()
        }
    }

    /// Ends it if its target has gone away; not under a lock.
    func endIfAbandoned() {
        if case .delivery(let delivery) = self { delivery.endIfAbandoned() }
    }
}
