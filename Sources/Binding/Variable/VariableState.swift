import Foundation

/// What a Variable's lock guards.
///
/// Each step decides, and returns what is to be done after unlocking.
struct VariableState<Value: Sendable> {
    private(set) var value: Value
    var attachments = Attachments()
    /// Empty, an Array costs its pointer alone.
    private(set) var subscribers: [any Subscriber<Value>] = []

    init(value: Value) {
        self.value = value
    }

    /// What a set leaves to do: the old value to release, centers to post on, subscribers to flush.
    struct Change {
        /// Released after unlocking, since the deinit of a class may do anything, even set this Variable.
        let old: Value
        let centers: Attachments.Centers
        let subscribers: [any Subscriber<Value>]
    }

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
        let review: [any Subscriber<Value>]
    }

    mutating func subscribe(_ subscriber: some Subscriber<Value>, through center: NotificationCenter?) -> Subscription {
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
        let subscriber: (any Subscriber<Value>)?
    }

    mutating func unsubscribe(_ id: ObjectIdentifier, through center: NotificationCenter?) -> Removal {
        let index = subscribers.firstIndex { ObjectIdentifier($0) == id }
        return Removal(
            centers: center.map { attachments.removeObserver(through: $0) },
            subscriber: index.map { subscribers.remove(at: $0) })
    }
}
