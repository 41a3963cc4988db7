import Foundation

/// What a Variable's lock guards.
///
/// Each step decides, and returns what is to be done after unlocking.
@usableFromInline
struct VariableState<Value: Sendable> {
    @usableFromInline private(set) var value: Value
    @usableFromInline var attachments = Attachments()
    /// Empty, an Array costs its pointer alone.
    @usableFromInline private(set) var subscribers: [Subscriber<Value>] = []

    @inlinable
    init(value: Value) {
        self.value = value
    }

    /// What a set leaves to do: the old value to release, centers to post on, subscribers to flush.
    @usableFromInline
    struct Change {
        /// Released after unlocking, since the deinit of a class may do anything, even set this Variable.
        @usableFromInline let old: Value
        @usableFromInline let centers: Attachments.Centers
        @usableFromInline let subscribers: [Subscriber<Value>]

        @inlinable
        init(old: Value, centers: Attachments.Centers, subscribers: [Subscriber<Value>]) {
            self.old = old
            self.centers = centers
            self.subscribers = subscribers
        }
    }

    @inlinable
    mutating func replaceValue(with new: Value) -> Change {
        var old = new
        swap(&value, &old)
        for subscriber in subscribers { subscriber.enqueue(new) }
        return Change(old: old, centers: attachments.centers, subscribers: subscribers)
    }

    /// What a subscribe leaves to be released, and to be looked at, after unlocking.
    struct Subscription {
        let centers: Attachments.Centers?
        /// The subscribers of before, when it is time to look whether some were abandoned.
        let review: [Subscriber<Value>]
    }

    mutating func subscribe(_ subscriber: Subscriber<Value>, through center: NotificationCenter?) -> Subscription {
        // Views come and go while a Variable that nobody sets learns nothing of it. Looking each time the number of
        // subscribers is a power of two keeps the list within twice the living, at little cost.
        let count = subscribers.count
        let review = count >= 4 && count & (count - 1) == 0 ? subscribers : []
        subscribers.append(subscriber)
        subscriber.enqueue(value)
        return Subscription(centers: center.map { attachments.addObserver(through: $0) }, review: review)
    }

    /// What an unsubscribe leaves to be released after unlocking.
    struct Removal {
        let centers: Attachments.Centers?
        let subscriber: Subscriber<Value>?
    }

    mutating func unsubscribe(_ id: ObjectIdentifier, through center: NotificationCenter?) -> Removal {
        let index = subscribers.firstIndex { $0.id == id }
        return Removal(
            centers: center.map { attachments.removeObserver(through: $0) },
            subscriber: index.map { subscribers.remove(at: $0) })
    }
}
