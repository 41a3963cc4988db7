import Binding
import Foundation
import TestSupport

/// An observer of every name on a center: it notes which Variables were set.
final class Recorder: Sendable {
    let changes: History<ObjectIdentifier>

    init(_ center: NotificationCenter) {
        let changes = History<ObjectIdentifier>()
        self.changes = changes
        // The center keeps the block and the block the history; nothing keeps the center.
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
            if let variable = notification.object as? any ReadableVariable {
                changes.append(ObjectIdentifier(variable))
            }
        }
    }
}
