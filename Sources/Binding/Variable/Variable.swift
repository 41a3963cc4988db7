import Foundation
import Locking

/// A value that can be read and observed: a ``Variable``, or a ``Constant``, which is its read-only face.
///
/// What only reads (a view, a recorder of changes, a stream) asks for `some ReadableVariable<Value>` and takes either.
public protocol ReadableVariable<Value>: AnyObject, Sendable, Identifiable where ID == ObjectIdentifier {
    /// What is held.
    associatedtype Value: Sendable

    /// The latest value. Safe from any thread.
    var value: Value { get }

    /// The read-only face, to hand to those who must not write.
    var constant: Constant<Value> { get }

    /// The identity of the ``Variable``, for a Constant too.
    ///
    /// It equals `ObjectIdentifier` of the object of a `Notification.Name.variableDidChange`
    /// notification, and is good for as long as the Variable lives.
    var id: ObjectIdentifier { get }
}

/// A value that tells of its changes.
///
/// A set is delivered to every observation of the Variable and posts `Notification.Name.variableDidChange`,
/// with the Variable as the object, on every `NotificationCenter` that it is attached to or observed through.
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

    /// Makes a Variable that holds `value` and is attached to no center.
    public init(_ value: Value) {
        state = Lock(VariableState(value: value))
    }

    /// Makes a Variable that holds `value` and is attached to no center.
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
    public var value: Value {
        get { state.withLock { $0.value } }
        set {
            announce(state.withLock { $0.replaceValue(with: newValue) })
        }
    }

    /// Tells of a change, after unlocking.
    func announce(_ change: VariableState<Value>.Change) {
        for center in change.centers { center.post(name: .variableDidChange, object: self) }
        for subscriber in change.subscribers { subscriber.flush() }
    }

    /// The read-only face of this Variable.
    public var constant: Constant<Value> { Constant(self) }

    /// The identity of this Variable.
    public var id: ObjectIdentifier { ObjectIdentifier(self) }

    // What a step on the state returns and is not used here is released here, after unlocking.

    func attach(to center: NotificationCenter) {
        _ = state.withLock { $0.attachments.attach(center) }
    }

    func detach(from center: NotificationCenter) {
        _ = state.withLock { $0.attachments.detach(center) }
    }

    /// Tells `subscriber` the current value and from here on each change; nothing comes between the two.
    ///
    /// The caller flushes the subscriber. Until it has ended, sets post on `center`, which it must keep alive.
    func subscribe(_ subscriber: any Subscriber<Value>, through center: NotificationCenter?) {
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

    /// Makes a read-only face of `variable`.
    public convenience init(variable: Variable<Value>) {
        self.init(variable)
    }

    /// Makes a constant of a value that never changes.
    public convenience init(value: Value) {
        self.init(Variable(value))
    }

    /// The Variable's latest value.
    ///
    /// Safe from any thread.
    public var value: Value { variable.value }

    /// This Constant.
    public var constant: Constant<Value> { self }

    /// The identity of the Variable behind this face.
    public var id: ObjectIdentifier { variable.id }
}

/// What a Variable's lock guards.
///
/// Each step decides, and returns what is to be done, and what is to be released, after unlocking: the deinit of
/// a value, or of what an observer captured, may do anything, even set this Variable.
///
/// Subscribers end on their own and are found ended and removed at the next set. They hold no way back to the Variable:
/// a weak one would give each observed Variable a side table, with which each retain, in here and in Foundation, takes
/// twice as long (190 ns of a set, as measured).
struct VariableState<Value: Sendable> {
    private(set) var value: Value
    var attachments = Attachments()
    private(set) var subscribers: [any Subscriber<Value>] = []

    init(value: Value) {
        self.value = value
    }

    /// What a set leaves to do: centers to tell, subscribers to flush; the rest is to be released.
    struct Change {
        let old: Value
        let removal: Removal?
        let centers: [NotificationCenter]
        let subscribers: [any Subscriber<Value>]
    }

    mutating func replaceValue(with new: Value) -> Change {
        var old = new
        swap(&value, &old)
        var isAnyEnded = false
        for subscriber in subscribers where !subscriber.enqueue(new) { isAnyEnded = true }
        let removal = isAnyEnded ? removeEnded() : nil
        return Change(old: old, removal: removal, centers: attachments.centers, subscribers: subscribers)
    }

    /// What a subscribe leaves to be released, and to be looked at.
    struct Subscription {
        let centers: [NotificationCenter]
        /// The subscribers of before, when it is time to look whether they are still wanted.
        let review: [any Subscriber<Value>]
    }

    mutating func subscribe(_ subscriber: any Subscriber<Value>, through center: NotificationCenter?) -> Subscription {
        // Views come and go while a Variable that nobody sets learns nothing of it. Looking each time the number of
        // subscribers is a power of two keeps the list within twice the living, at little cost.
        let count = subscribers.count
        let review = count >= 4 && count & (count - 1) == 0 ? subscribers : []
        subscribers.append(subscriber)
        _ = subscriber.enqueue(value)
        return Subscription(centers: center.map { attachments.addObserver(through: $0) } ?? [], review: review)
    }

    /// What was removed, to be released.
    struct Removal {
        var ended: [any Subscriber<Value>] = []
        var centers: [NotificationCenter] = []
    }

    mutating func removeEnded() -> Removal {
        var removal = Removal()
        var living: [any Subscriber<Value>] = []
        for subscriber in subscribers {
            guard subscriber.isEnded else {
                living.append(subscriber)
                continue
            }
            removal.ended.append(subscriber)
            if let id = subscriber.centerID { removal.centers += attachments.removeObserver(through: id) }
        }
        subscribers = living
        return removal
    }
}
