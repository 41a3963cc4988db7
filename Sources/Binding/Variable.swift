import Foundation
import Locking

/// A value that can be read and observed: a ``Variable``, or its read-only ``Constant``.
///
/// Code that only reads, such as a view or a stream, takes `some ReadableVariable<Value>`.
public protocol ReadableVariable<Value>: AnyObject, Sendable {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The latest value. Safe from any thread.
    var value: Value { get }

    /// The read-only form, for code that must not write.
    var constant: Constant<Value> { get }
}

/// A value with observers.
///
/// Each set goes to every observation of the Variable. It also posts `Notification.Name.variableDidChange`, with the
/// Variable as the object, on every `NotificationCenter` with such an observation. A set of an equal value is a change
/// too: `removeDuplicates()` on ``ReadableVariable/values`` omits it.
///
/// **Threads.** Any thread may read and set `value`. The Variable's lock orders the sets, and each observation sees
/// them in that order. `value += 1` is a read and then a set: it is not atomic.
///
/// **Order within a set.** The setter replaces the value. Then it posts on the centers, on its own thread. Then it
/// delivers to the observations (``Observer`` says on which thread).
///
/// **Lifetime.** The Variable has weak references to centers and strong ones to its observations. Its release cancels
/// the observations.
public final class Variable<Value: Sendable>: Sendable, ReadableVariable {
    let state: Lock<VariableState<Value>>

    /// Makes a Variable that holds `value`.
    public init(_ value: Value) { state = Lock(VariableState(value: value)) }

    deinit {
        // Not under the lock: the end of an observation releases the captures of its closure.
        for subscription in state.withLock({ $0.subscriptions }) { subscription.subscriber.end() }
    }

    /// The latest value.
    ///
    /// Safe on any thread, also inside an observer of this Variable.
    public var value: Value {
        get { state.withLock { $0.value } }
        set { announce(state.withLock { $0.replaceValue(with: newValue) }) }
    }

    /// Posts and delivers a change, after unlocking.
    private func announce(_ change: VariableState<Value>.Change) {
        var told: [NotificationCenter] = []
        for subscription in change.subscriptions {
            guard let center = subscription.center, !told.contains(where: { $0 === center }) else { continue }
            told.append(center)
            center.post(name: .variableDidChange, object: self)
        }
        for subscription in change.subscriptions { subscription.subscriber.flush() }
    }

    /// The read-only form of this Variable.
    public var constant: Constant<Value> { Constant(self) }

    /// Gives `subscriber` the current value and every later change.
    ///
    /// The caller flushes the subscriber. Until the subscriber has ended, sets post on `center`, and it must keep
    /// `center` alive.
    func subscribe(_ subscriber: any Subscriber<Value>, through center: NotificationCenter?) {
        // Release the result of this step after unlocking.
        _ = state.withLock { $0.subscribe(subscriber, through: center) }
    }
}

extension Variable where Value: Equatable {
    /// Sets the value if it differs from the present one, as one atomic step.
    ///
    /// An equal value causes no post and no delivery. Use this for a derived value that rarely changes.
    public func update(to newValue: Value) {
        guard let change = state.withLock({ $0.value == newValue ? nil : $0.replaceValue(with: newValue) }) else {
            return
        }
        announce(change)
    }
}

/// The read-only form of a ``Variable``: it can be read and observed, not set.
///
/// A Constant keeps its Variable alive. An observation of a Constant is an observation of its Variable, and continues
/// after the Constant is released. Safe on any thread.
public final class Constant<Value: Sendable>: Sendable, ReadableVariable {
    let variable: Variable<Value>

    /// Makes a read-only form of `variable`.
    public init(_ variable: Variable<Value>) {
        self.variable = variable
    }

    /// The Variable's latest value.
    ///
    /// Safe from any thread.
    public var value: Value { variable.value }

    /// This Constant.
    public var constant: Constant<Value> { self }
}

/// The state under a Variable's lock.
///
/// Each step decides under the lock. It returns the objects to notify and to release after unlocking. The deinit of a
/// value, or of a captured object, may run any code, and may even set this Variable.
///
/// The next set removes ended subscribers. Subscribers have no reference to the Variable. A weak one would give each
/// observed Variable a side table, and each retain would take twice as long (190 ns of a set).
struct VariableState<Value: Sendable> {
    struct Subscription {
        let subscriber: any Subscriber<Value>
        /// The center of the observation, if it has one.
        weak let center: NotificationCenter?
    }

    private(set) var value: Value
    private(set) var subscriptions: [Subscription] = []

    init(value: Value) { self.value = value }

    /// The subscriptions to notify of a set, and objects that the caller releases after unlocking.
    struct Change {
        let subscriptions: [Subscription]
        let old: Value
        let before: [Subscription]
    }

    mutating func replaceValue(with new: Value) -> Change {
        var old = new
        swap(&value, &old)
        let before = subscriptions
        var isAnyEnded = false
        for subscription in subscriptions where !subscription.subscriber.enqueue(new) { isAnyEnded = true }
        if isAnyEnded { subscriptions.removeAll { $0.subscriber.isEnded } }
        return Change(subscriptions: subscriptions, old: old, before: before)
    }

    mutating func subscribe(_ subscriber: any Subscriber<Value>, through center: NotificationCenter?) -> [Subscription]
    {
        let before = subscriptions
        // Views subscribe and end while no thread sets the Variable. So ended subscribers are also removed at each
        // power of two.
        if before.count & (before.count - 1) == 0 { subscriptions.removeAll { $0.subscriber.isEnded } }
        subscriptions.append(Subscription(subscriber: subscriber, center: center))
        _ = subscriber.enqueue(value)
        return before
    }
}

/// A receiver of a Variable's changes: an observation's ``Delivery``, or a ``ValuesReader``.
///
/// A change takes two calls. The first fixes the order under the Variable's lock. The second, without the lock, may
/// call, resume and release.
protocol Subscriber<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Notes a change; false if the subscriber has ended.
    ///
    /// The Variable calls it under its lock, in the order of the sets. It must not call other objects.
    func enqueue(_ value: Value) -> Bool
    /// Delivers the noted changes; each setting thread calls it, without a lock.
    func flush()
    /// Whether the subscriber has ended; may be called under the Variable's lock.
    var isEnded: Bool { get }
    /// Ends the subscriber, because the Variable is released.
    func end()
}
