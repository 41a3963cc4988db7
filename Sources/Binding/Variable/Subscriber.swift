/// A receiver of a Variable's changes: an observation's ``Delivery``, or a ``ValuesReader``.
///
/// Taking a change in and acting on it are two calls, so that the order is decided under the Variable's lock and
/// nothing is called, resumed or released while that lock is held.
protocol Subscriber<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The identity of the center it observes through.
    var centerID: ObjectIdentifier? { get }
    /// Notes a change, or returns false when it has ended.
    ///
    /// Called under the Variable's lock, so in the order of the sets: it must call nobody.
    func enqueue(_ value: Value) -> Bool
    /// Acts on what was noted, with no lock held, in each thread that set.
    func flush()
    /// Whether it has ended; it may be called under the Variable's lock.
    var isEnded: Bool { get }
    /// The Variable goes away.
    func sourceEnded()
    /// Ends it if its target has gone away; not under a lock.
    func endIfAbandoned()
}

extension Subscriber {
    var centerID: ObjectIdentifier? { nil }
    func endIfAbandoned() {}
}
