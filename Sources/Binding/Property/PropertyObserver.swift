import Foundation
import Locking

/// The observation of a plain object's property: a block on the center, and the delivery of what it reads.
final class PropertyObserver<Value: Sendable>: Cancellable {
    private let delivery: Delivery<Value>
    private let registration: Registration

    init<Root: AnyObject>(
        _ root: Root, _ keyPath: KeyPath<Root, Value>, on queue: OperationQueue?, in center: NotificationCenter,
        handler: Handler<Value>
    ) {
        delivery = Delivery(handler: handler, on: queue)
        registration = Registration(center)
        let reader = PropertyReader(root: root, keyPath: keyPath, delivery: delivery)
        // Observed before it is first read, so that no change is lost between the two. Never with the queue:
        // on Linux, Foundation would make each poster wait until the queue has delivered.
        registration.add { [registration] notification in
            if !reader.receive(PropertyChange(notification)) { registration.remove() }
        }
        reader.read(root)
        delivery.start()
    }

    var isEnded: Bool { delivery.isEnded }

    func cancel() {
        registration.remove()
        delivery.cancel()
    }
}

/// A block added to a center, which is held weakly, since the block holds this.
private final class Registration: Sendable {
    private weak let center: NotificationCenter?
    private let token = Lock<Token?>(nil)

    /// `@unchecked Sendable`: it is never looked into, only given back to the center, which is Sendable itself.
    private struct Token: @unchecked Sendable {
        let value: any NSObjectProtocol
    }

    init(_ center: NotificationCenter) {
        self.center = center
    }

    func add(_ block: @escaping @Sendable (Notification) -> Void) {
        guard let center else { return }
        let new = Token(value: center.addObserver(forName: .propertyDidChange, object: nil, queue: nil, using: block))
        token.withLock { $0 = new }
    }

    func remove() {
        // Taken and released outside the lock: with the token may go the block and all that it captured.
        guard let token = token.withLock({ $0.take() }) else { return }
        center?.removeObserver(token.value)
    }
}
