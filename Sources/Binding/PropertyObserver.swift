import Foundation
import Locking

/// The key of the key path in the notification of a property's change.
let propertyKey = "keyPath"

/// Observes a property of a plain object: reads it after each posted change, and delivers the value.
///
/// Reads happen one at a time, in the order of the deliveries. So if two threads change and post at once, the last
/// delivery has the last value. A getter is the user's code, so a lock cannot protect the read. If a thread posts while
/// another thread reads, that other thread reads once more.
///
/// `@unchecked Sendable`: the object is an ordinary one, with a weak reference. Only the first observing thread and the
/// threads that post a change read it. `post(_:of:)` requires that these threads may use the object.
final class PropertyObserver<Root: AnyObject, Value: Sendable>: Cancellable, @unchecked Sendable {
    private weak let root: Root?
    /// Weak, because the center keeps the block, and the block keeps this observer.
    private weak let center: NotificationCenter?
    private let keyPath: KeyPath<Root, Value>
    private let delivery: Delivery<Value>
    private let state = Lock(State())

    private struct State {
        var token: Token?
        /// The number of outstanding reads; one thread does all of them.
        var reads = 0
    }

    /// `@unchecked Sendable`: this code only gives the token back to the center, which is Sendable.
    private struct Token: @unchecked Sendable {
        let value: any NSObjectProtocol
    }

    init(
        _ root: Root, _ keyPath: KeyPath<Root, Value>, on queue: OperationQueue?, in center: NotificationCenter,
        deliver: @escaping (Value) -> Bool
    ) {
        (self.root, self.keyPath, self.center) = (root, keyPath, center)
        delivery = Delivery(Handler(center: nil) { [weak root] in root != nil && deliver($0) }, on: queue)
    }

    func start(_ root: Root, in center: NotificationCenter) {
        // Observe before the first read, so that no change between them is lost. Do not pass the queue to the center:
        // on Linux, Foundation makes each poster wait until the queue has delivered.
        let token = Token(
            value: center.addObserver(forName: .propertyDidChange, object: nil, queue: nil) { self.receive($0) })
        state.withLock { $0.token = token }
        read(root)
        delivery.start()
    }

    var isEnded: Bool { delivery.isEnded }

    func cancel() {
        remove()
        delivery.cancel()
    }

    private func receive(_ notification: Notification) {
        guard let root, !delivery.isEnded else {
            delivery.end()
            return remove()
        }
        guard notification.userInfo?[propertyKey] as? AnyKeyPath == keyPath else { return }
        let object = notification.object.map { $0 as AnyObject }
        if object == nil || object === root { read(root) }
    }

    /// Reads the value and delivers it.
    private func read(_ root: Root) {
        let isFirst = state.withLock { state in
            state.reads += 1
            return state.reads == 1
        }
        guard isFirst else { return }
        var isDone = false
        while !isDone {
            _ = delivery.enqueue(root[keyPath: keyPath])
            isDone = state.withLock { state in
                state.reads -= 1
                return state.reads == 0
            }
        }
        delivery.flush()
    }

    private func remove() {
        // Release the token outside of the lock, because that may also release the block and its captures.
        guard let token = state.withLock({ $0.token.take() }) else { return }
        center?.removeObserver(token.value)
    }
}
