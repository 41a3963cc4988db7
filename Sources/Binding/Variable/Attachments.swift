import Foundation

/// The centers that a Variable posts on, held weakly.
///
/// The first is kept inline: a server has many Variables, each on the one center of its session.
@usableFromInline
struct Attachments {
    private var first = Attachment()
    private var rest: [Attachment] = []

    @usableFromInline init() {}

    private struct Attachment {
        weak var center: NotificationCenter?
        /// Observations that go through the center; each keeps it alive.
        var observers: Int32 = 0
        /// Attached by `attach(_:)`, whether anything observes or not.
        var isAttached = false

        var isUsed: Bool { isAttached || observers > 0 }
    }

    /// A moment's centers, held strongly, to post on after unlocking.
    @usableFromInline
    struct Centers {
        fileprivate let first: NotificationCenter?
        fileprivate let rest: [NotificationCenter]

        var all: [NotificationCenter] { (first.map { [$0] } ?? []) + rest }

        @usableFromInline
        func post(_ name: Notification.Name, object: AnyObject) {
            first?.post(name: name, object: object)
            for center in rest { center.post(name: name, object: object) }
        }
    }

    @usableFromInline var centers: Centers {
        Centers(first: first.center, rest: rest.isEmpty ? [] : rest.compactMap(\.center))
    }

    mutating func attach(_ center: NotificationCenter) -> Centers {
        update(center) { $0.isAttached = true }
    }

    mutating func detach(_ center: NotificationCenter) -> Centers {
        update(center) { $0.isAttached = false }
    }

    mutating func addObserver(through center: NotificationCenter) -> Centers {
        update(center) { $0.observers += 1 }
    }

    /// - Parameter id: identity of the center, which may have gone away.
    mutating func removeObserver(through id: ObjectIdentifier) -> Centers {
        let held = centers
        guard let center = held.all.first(where: { ObjectIdentifier($0) == id }) else { return held }
        return update(center) { $0.observers = max(0, $0.observers - 1) }
    }

    /// Returns the centers there were, to be released after unlocking: looking at a weak reference may make us the last
    /// to hold a center, and with it go its observers' blocks and all that they captured.
    private mutating func update(_ center: NotificationCenter, _ change: (inout Attachment) -> Void) -> Centers {
        let held = centers
        if first.center === center {
            change(&first)
            if !first.isUsed { first = Attachment() }
            return held
        }
        var attachment = Attachment(center: center)
        if let index = rest.firstIndex(where: { $0.center === center }) { attachment = rest.remove(at: index) }
        change(&attachment)
        rest.removeAll { $0.center == nil }
        guard attachment.isUsed else { return held }
        if first.center == nil { first = attachment } else { rest.append(attachment) }
        return held
    }
}
