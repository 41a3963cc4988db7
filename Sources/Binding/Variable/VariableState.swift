import Foundation

/// What a Variable's lock guards.
///
/// Each step decides, and returns what is to be done, and what is to be released, after unlocking: the deinit of
/// a value, or of what an observer captured, may do anything, even set this Variable.
///
/// Subscribers end on their own and are found ended and removed at the next set. They hold no way back to the Variable:
/// a weak one would give each observed Variable a side table, with which each retain, in here and in Foundation, takes
/// twice as long (190 ns of a set, as measured).
@usableFromInline
struct VariableState<Value: Sendable> {
    @usableFromInline private(set) var value: Value
    @usableFromInline var attachments = Attachments()
    @usableFromInline var followers = Followers()
    /// Empty, an Array costs its pointer alone.
    @usableFromInline private(set) var subscribers: [Subscriber<Value>] = []

    @inlinable
    init(value: Value) {
        self.value = value
    }

    /// What a set leaves to do: recorders and centers to tell, subscribers to flush; the rest is to be released.
    @usableFromInline
    struct Change {
        @usableFromInline let old: Value
        @usableFromInline let removal: Removal?
        @usableFromInline let recorders: Followers.Recorders
        @usableFromInline let centers: Attachments.Centers
        @usableFromInline let subscribers: [Subscriber<Value>]

        @inlinable
        init(
            old: Value, removal: Removal?, recorders: Followers.Recorders, centers: Attachments.Centers,
            subscribers: [Subscriber<Value>]
        ) {
            self.old = old
            self.removal = removal
            self.recorders = recorders
            self.centers = centers
            self.subscribers = subscribers
        }
    }

    @inlinable
    mutating func replaceValue(with new: Value) -> Change {
        var old = new
        swap(&value, &old)
        var isAnyEnded = false
        for subscriber in subscribers where !subscriber.enqueue(new) { isAnyEnded = true }
        let removal = isAnyEnded ? removeEnded() : nil
        return Change(
            old: old, removal: removal, recorders: followers.recorders, centers: attachments.centers,
            subscribers: subscribers)
    }

    /// What a subscribe leaves to be released, and to be looked at.
    struct Subscription {
        let centers: Attachments.Centers?
        /// The subscribers of before, when it is time to look whether they are still wanted.
        let review: [Subscriber<Value>]
    }

    mutating func subscribe(_ subscriber: Subscriber<Value>, through center: NotificationCenter?) -> Subscription {
        // Views come and go while a Variable that nobody sets learns nothing of it. Looking each time the number of
        // subscribers is a power of two keeps the list within twice the living, at little cost.
        let count = subscribers.count
        let review = count >= 4 && count & (count - 1) == 0 ? subscribers : []
        subscribers.append(subscriber)
        _ = subscriber.enqueue(value)
        return Subscription(centers: center.map { attachments.addObserver(through: $0) }, review: review)
    }

    /// What was removed, to be released.
    @usableFromInline
    struct Removal {
        var ended: [Subscriber<Value>] = []
        var centers: [Attachments.Centers] = []
    }

    @usableFromInline
    mutating func removeEnded() -> Removal {
        var removal = Removal()
        var living: [Subscriber<Value>] = []
        for subscriber in subscribers {
            guard subscriber.isEnded else {
                living.append(subscriber)
                continue
            }
            removal.ended.append(subscriber)
            if let id = subscriber.center { removal.centers.append(attachments.removeObserver(through: id)) }
        }
        subscribers = living
        return removal
    }
}
