import Binding
import Foundation
import Locking

/// Notes which variables posted on a center, as a session does.
final class PostRecorder: Sendable {
    private let posters = Lock<Set<ObjectIdentifier>>([])

    init(_ center: NotificationCenter) {
        // The center keeps the recorder for as long as the center lives.
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { [self] notification in
            guard let variable = notification.object as? any ReadableVariable else { return }
            posters.withLock { _ = $0.insert(variable.id) }
        }
    }

    /// Who posted since the last call.
    func drain() -> Set<ObjectIdentifier> {
        posters.withLock { posters in
            defer { posters = [] }
            return posters
        }
    }
}
