import Foundation

/// The one place where what a user hands over crosses threads: a closure, or a target and how to write to it.
///
/// Target and source are held weakly. The center observed through is kept alive for as long as the observation lasts.
///
/// `@unchecked Sendable`: targets are ordinary classes and closures capture what they like, so the compiler cannot
/// check them. ``Delivery`` calls the handler from one thread at a time, with a lock between any two calls; and in which
/// thread is the user's choice, stated at ``Observer``: the setter's, or that of the queue they name.
///
/// A class, since each delivery takes a reference to it, and copying a weak reference is slow.
final class Handler<Value>: @unchecked Sendable {
    weak let target: AnyObject?
    let isBound: Bool
    /// The object whose property is observed; a Variable ends its observations itself.
    weak let source: AnyObject?
    let hasSource: Bool
    let center: NotificationCenter?
    let deliver: (AnyObject?, Value) -> Void

    init(through center: NotificationCenter?, from source: AnyObject? = nil, onChange: @escaping (Value) -> Void) {
        self.center = center
        self.source = source
        hasSource = source != nil
        target = nil
        isBound = false
        deliver = { _, value in onChange(value) }
    }

    init<Target: AnyObject>(
        through center: NotificationCenter?, from source: AnyObject? = nil,
        target: Target, write: @escaping (Target, Value) -> Void
    ) {
        self.center = center
        self.source = source
        hasSource = source != nil
        self.target = target
        isBound = true
        // Safe: the object that comes back is the target kept two lines above, a Target.
        deliver = { object, value in object.map { write(unsafeDowncast($0, to: Target.self), value) } }
    }

    /// Target or source has gone away.
    var isAbandoned: Bool { isBound && target == nil || hasSource && source == nil }

    /// Delivers; false when target or source has gone away.
    func callAsFunction(_ value: Value) -> Bool {
        if hasSource && source == nil { return false }
        guard isBound else {
            deliver(nil, value)
            return true
        }
        guard let target else { return false }
        deliver(target, value)
        return true
    }
}
