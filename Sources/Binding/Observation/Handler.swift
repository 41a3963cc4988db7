/// The one place where what a user hands over crosses threads: a closure, or a target and how to write to it.
///
/// - The target is held weakly.
/// - `deliver` gets the target when there is one, and is called by one thread at a time.
///
/// `@unchecked Sendable`: targets are ordinary classes and closures capture what they like, so the compiler cannot
/// check them. ``Delivery`` calls `deliver` one at a time, with a lock between any two calls; and in which thread is
/// the user's choice, stated at ``Observation``: the setter's, or that of the queue they name.
@usableFromInline
struct Handler<Value>: @unchecked Sendable {
    @usableFromInline weak let target: AnyObject?
    @usableFromInline let isBound: Bool
    @usableFromInline let deliver: (AnyObject?, Value) -> Void

    @inlinable
    init(onChange: @escaping (Value) -> Void) {
        target = nil
        isBound = false
        deliver = { _, value in onChange(value) }
    }

    @inlinable
    init<Target: AnyObject>(target: Target, write: @escaping (Target, Value) -> Void) {
        self.target = target
        isBound = true
        // Safe: the object that comes back is the target kept two lines above, a Target.
        deliver = { object, value in object.map { write(unsafeDowncast($0, to: Target.self), value) } }
    }

    /// There was a target, and it has gone away.
    var isAbandoned: Bool { isBound && target == nil }

    /// Delivers; false when the target has gone away.
    @inlinable
    func callAsFunction(_ value: Value) -> Bool {
        let target = target
        if isBound && target == nil { return false }
        deliver(target, value)
        return true
    }
}
