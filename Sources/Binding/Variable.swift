import Foundation
import Locking

/// A value that can be read and observed: a ``Variable``, or a ``Constant``, which is its read-only face.
///
/// What only reads (a view, a recorder of changes, a stream) asks for `some ReadableVariable<Value>` and takes either.
public protocol ReadableVariable<Value>: AnyObject, Sendable {
    /// What is held.
    associatedtype Value: Sendable

    /// The latest value. Safe from any thread.
    var value: Value { get }

    /// The read-only face, to hand to those who must not write.
    var constant: Constant<Value> { get }
}

/// A value that tells of its changes.
///
/// A set is delivered to every observation of the Variable and posts `Notification.Name.variableDidChange`,
/// with the Variable as the object, on every `NotificationCenter` that it is observed through.
/// Setting an equal value is a change too: `removeDuplicates()` on ``ReadableVariable/values`` leaves it out.
///
/// **Threads.** `value` may be read and set from any thread. Sets have one order, that of the Variable's lock, and each
/// observation sees them in that order. `value += 1` is a read and then a set, not one step.
///
/// **Order within a set.** The value is replaced; the centers are posted to, in the setter's thread, before the setter
/// returns; then the observations are delivered to (see ``Observer`` for where and when).
///
/// **Lifetime.** The Variable holds centers weakly and its observations strongly; when it goes away they are cancelled.
public final class Variable<Value: Sendable>: Sendable, ReadableVariable {
    let state: Lock<VariableState<Value>>

    /// Makes a Variable that holds `value`.
    public init(_ value: Value) { state = Lock(VariableState(value: value)) }

    deinit {
        // Not under the lock: ending an observation releases what its closure captured.
        for subscription in state.withLock({ $0.subscriptions }) { subscription.subscriber.end() }
    }

    /// The latest value.
    ///
    /// Safe from any thread, from inside an observer of this Variable too.
    public var value: Value {
        get { state.withLock { $0.value } }
        set { announce(state.withLock { $0.replaceValue(with: newValue) }) }
    }

    /// Tells of a change, after unlocking.
    private func announce(_ change: VariableState<Value>.Change) {
        var told: [NotificationCenter] = []
        for subscription in change.subscriptions {
            guard let center = subscription.center, !told.contains(where: { $0 === center }) else { continue }
            told.append(center)
            center.post(name: .variableDidChange, object: self)
        }
        for subscription in change.subscriptions { subscription.subscriber.flush() }
    }

    /// The read-only face of this Variable.
    public var constant: Constant<Value> { Constant(self) }

    /// Tells `subscriber` the current value and from here on each change; nothing comes between the two.
    ///
    /// The caller flushes the subscriber. Until it has ended, sets post on `center`, which it must keep alive.
    func subscribe(_ subscriber: any Subscriber<Value>, through center: NotificationCenter?) {
        // What this step returns is released after unlocking.
        _ = state.withLock { $0.subscribe(subscriber, through: center) }
    }
}

extension Variable where Value: Equatable {
    /// Sets the value if it is another than the present one, in one step; else nothing is posted or delivered.
    ///
    /// For a value that is derived anew from something larger and mostly stays what it was.
    public func update(to newValue: Value) {
        guard let change = state.withLock({ $0.value == newValue ? nil : $0.replaceValue(with: newValue) }) else {
            return
        }
        announce(change)
    }
}

/// The read-only face of a ``Variable``: it can be read and observed, not set.
///
/// A Constant keeps its Variable alive. Faces come and go without anyone noticing: an observation of a Constant is one
/// of its Variable and lives as long as that does. Safe from any thread.
public final class Constant<Value: Sendable>: Sendable, ReadableVariable {
    let variable: Variable<Value>

    /// Makes a read-only face of `variable`.
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

/// What a Variable's lock guards.
///
/// Each step decides under the lock, and returns the objects to tell and to release after unlocking. The deinit of a
/// value, or of an object that an observer captured, may do anything, even set this Variable.
///
/// Subscribers end on their own, and the next set removes them. They have no reference to the Variable. A weak one
/// would give each observed Variable a side table, and each retain would take twice as long (190 ns of a set).
struct VariableState<Value: Sendable> {
    struct Subscription {
        let subscriber: any Subscriber<Value>
        /// The center observed through, if any.
        weak let center: NotificationCenter?
    }

    private(set) var value: Value
    private(set) var subscriptions: [Subscription] = []

    init(value: Value) { self.value = value }

    /// The subscriptions to tell of a set; the rest is to be released.
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
        // Views come and go while nobody sets the Variable. So ended ones are removed at each power of two, too.
        if before.count & (before.count - 1) == 0 { subscriptions.removeAll { $0.subscriber.isEnded } }
        subscriptions.append(Subscription(subscriber: subscriber, center: center))
        _ = subscriber.enqueue(value)
        return before
    }
}

/// A receiver of a Variable's changes: an observation's ``Delivery``, or a ``ValuesReader``.
///
/// Taking a change in and acting on it are two calls, so that the order is decided under the Variable's lock and
/// nothing is called, resumed or released while that lock is held.
protocol Subscriber<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Notes a change, or returns false when it has ended.
    ///
    /// Called under the Variable's lock, so in the order of the sets: it must call nobody.
    func enqueue(_ value: Value) -> Bool
    /// Acts on what was noted, with no lock held, in each thread that set.
    func flush()
    /// Whether it has ended; it may be called under the Variable's lock.
    var isEnded: Bool { get }
    /// Ends it: the Variable goes away.
    func end()
}
