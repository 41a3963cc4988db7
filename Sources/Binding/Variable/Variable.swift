import Foundation
import Locking

/// A value that tells of its changes.
///
/// A set is delivered to every observation of the Variable and posts `Notification.Name.variableDidChange`,
/// with the Variable as the object, on every `NotificationCenter` that it is attached to or observed through.
/// Setting an equal value is a change too: `removeDuplicates()` on ``ReadableVariable/values`` leaves it out.
///
/// **Threads.** `value` may be read and set from any thread. Sets have one order, that of the Variable's lock, and each
/// observation sees them in that order. `value += 1` is a read and then a set, not one step.
///
/// **Order within a set.** The value is replaced; the recorders that follow the Variable note it and the centers are posted
/// to, in the setter's thread, before the setter returns; then the observations are delivered to (see ``Observer`` for
/// where and when).
///
/// **Lifetime.** The Variable holds recorders and centers weakly and its observations strongly; when it goes away they are
/// cancelled.
public final class Variable<Value: Sendable>: Sendable, ReadableVariable {
    // What a set runs through is inlinable, here and in what it calls: compiled in the user's module for the user's type
    // a set takes a fifth of the time that it takes through the generic code of this one.
    @usableFromInline let state: Lock<VariableState<Value>>

    /// Makes a Variable that holds `value` and is attached to no center.
    @inlinable
    public init(_ value: Value) {
        state = Lock(VariableState(value: value))
    }

    /// Makes a Variable that holds `value` and is attached to no center.
    @inlinable
    public convenience init(value: Value) {
        self.init(value)
    }

    deinit {
        // Not under the lock: ending an observation releases what its closure captured.
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.sourceEnded() }
    }

    /// The latest value.
    ///
    /// Safe from any thread, from inside an observer of this Variable too.
    @inlinable public var value: Value {
        get { state.withLock { $0.value } }
        set {
            announce(state.withLock { $0.replaceValue(with: newValue) })
        }
    }

    /// Tells of a change, after unlocking.
    @inlinable
    func announce(_ change: VariableState<Value>.Change) {
        change.recorders.note(id)
        change.centers.post(.variableDidChange, object: self)
        for subscriber in change.subscribers { subscriber.flush() }
    }

    /// The read-only face of this Variable.
    @inlinable public var constant: Constant<Value> { Constant(self) }

    /// The identity of this Variable.
    @inlinable public var id: ObjectIdentifier { ObjectIdentifier(self) }

    // What a step on the state returns and is not used here is released here, after unlocking.

    func attach(to center: NotificationCenter) {
        _ = state.withLock { $0.attachments.attach(center) }
    }

    func detach(from center: NotificationCenter) {
        _ = state.withLock { $0.attachments.detach(center) }
    }

    func note(on recorder: ChangeRecorder) {
        state.withLock { $0.followers.add(recorder) }
    }

    /// Tells `subscriber` the current value and from here on each change; nothing comes between the two.
    ///
    /// The caller flushes the subscriber. Until it has ended, sets post on `center`, which it must keep alive.
    @usableFromInline
    func subscribe(_ subscriber: Subscriber<Value>, through center: NotificationCenter?) {
        let subscription = state.withLock { $0.subscribe(subscriber, through: center) }
        guard !subscription.review.isEmpty else { return }
        for subscriber in subscription.review { subscriber.endIfAbandoned() }
        _ = state.withLock { $0.removeEnded() }
    }
}

extension Variable where Value: Equatable {
    /// Sets the value if it is another than the present one, in one step; else nothing is posted or delivered.
    ///
    /// For a value that is derived anew from something larger and mostly stays what it was.
    @inlinable
    public func update(to newValue: Value) {
        guard let change = state.withLock({ $0.value == newValue ? nil : $0.replaceValue(with: newValue) }) else {
            return
        }
        announce(change)
    }
}
