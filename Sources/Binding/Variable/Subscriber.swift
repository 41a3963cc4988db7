/// One who is told of a Variable's changes: a delivery to an observer, or a reader of its values.
///
/// Taking a change in and acting on it are two calls, so that the order is decided under the Variable's lock and
/// nothing is called, resumed or released while that lock is held.
protocol Subscriber<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Notes a change. Called under the Variable's lock, so in the order of the sets: it must call nobody.
    func enqueue(_ value: Value)

    /// Acts on what was noted. Called with no lock held, by each thread that set.
    func flush()

    /// The Variable goes away, or this subscriber was found abandoned. Called with no lock held.
    func sourceEnded()

    /// There is nobody left to deliver to. Called with no lock held.
    var isAbandoned: Bool { get }
}
