import Foundation

/// The centers that a Variable posts on, held weakly.
struct Attachments {
    private var attachments: [Attachment] = []

    private struct Attachment {
        weak var center: NotificationCenter?
        /// Observations that go through the center; each keeps it alive.
        var observers = 0
        /// Attached by `attach(_:)`, whether anything observes or not.
        var isAttached = false

        var isUsed: Bool { center != nil && (isAttached || observers > 0) }
    }

    /// The centers of this moment, to post on after unlocking.
    var centers: [NotificationCenter] { attachments.compactMap(\.center) }

    mutating func attach(_ center: NotificationCenter) -> [NotificationCenter] {
        update(center) { $0.isAttached = true }
    }

    mutating func detach(_ center: NotificationCenter) -> [NotificationCenter] {
        update(center) { $0.isAttached = false }
    }

    mutating func addObserver(through center: NotificationCenter) -> [NotificationCenter] {
        update(center) { $0.observers += 1 }
    }

    /// - Parameter id: identity of the center, which may have gone away.
    mutating func removeObserver(through id: ObjectIdentifier) -> [NotificationCenter] {
        let held = centers
        guard let center = held.first(where: { ObjectIdentifier($0) == id }) else { return held }
        return update(center) { $0.observers = max(0, $0.observers - 1) }
    }

    /// Returns the centers there were, to be released after unlocking.
    ///
    /// Looking at a weak reference may make us the last to hold a center. With it go its observers' blocks.
    private mutating func update(
        _ center: NotificationCenter, _ change: (inout Attachment) -> Void
    ) -> [NotificationCenter] {
        let held = centers
        let place = attachments.firstIndex { $0.center === center }
        if place == nil { attachments.append(Attachment(center: center)) }
        change(&attachments[place ?? attachments.count - 1])
        attachments.removeAll { !$0.isUsed }
        return held
    }
}
