/// One who is told of a Variable's changes: an observation's delivery, or a reader of its values.
///
/// Taking a change in and acting on it are two calls, so that the order is decided under the Variable's lock and
/// nothing is called, resumed or released while that lock is held.
///
/// An enum and not a protocol, so that a set calls them directly and specialised (see ``Variable``).
@usableFromInline
enum Subscriber<Value: Sendable>: Sendable {
    case delivery(Delivery<Value>)
    case reader(ValuesStorage<Value>)

    var id: ObjectIdentifier {
        switch self {
        case .delivery(let delivery): ObjectIdentifier(delivery)
        case .reader(let reader): ObjectIdentifier(reader)
        }
    }

    /// Notes a change.
    ///
    /// Called under the Variable's lock, so in the order of the sets: it must call nobody.
    @inlinable
    func enqueue(_ value: Value) {
        switch self {
        case .delivery(let delivery): delivery.enqueue(value)
        case .reader(let reader): reader.enqueue(value)
        }
    }

    /// Acts on what was noted, with no lock held, in each thread that set.
    @inlinable
    func flush() {
        switch self {
        case .delivery(let delivery): delivery.flush()
        case .reader(let reader): reader.flush()
        }
    }

    /// The Variable goes away.
    func sourceEnded() {
        switch self {
        case .delivery(let delivery): delivery.sourceEnded()
        case .reader(let reader): reader.sourceEnded()
        }
    }

    /// Ends it if there is nobody left to deliver to.
    func endIfAbandoned() {
        if case .delivery(let delivery) = self, delivery.isAbandoned { delivery.sourceEnded() }
    }
}
