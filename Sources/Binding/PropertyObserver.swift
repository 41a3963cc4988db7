import Foundation
import Locking

/// The key under which a notification of a property's change has the key path.
let propertyKey = "keyPath"

/// Observes a plain object's property: reads it when a change is posted, and has the value delivered.
///
/// Reads are one at a time and in one order with the deliveries. So if two threads change and post at once, neither
/// passes on an older value last. A getter is its user's code, so this cannot be done under a lock: a thread that
/// comes while another reads leaves it to that one to read once more.
///
/// `@unchecked Sendable`: the object is an ordinary one and held weakly. It is read in the thread that observes it
/// first and in the threads in which its owner posts a change; `post(_:of:)` says that these may touch it.
final class PropertyObserver<Root: AnyObject, Value: Sendable>: Cancellable, @unchecked Sendable {
    private weak let root: Root?
    /// Held weakly, since it holds the block that holds this.
    private weak let center: NotificationCenter?
    private let keyPath: KeyPath<Root, Value>
    private let delivery: Delivery<Value>
    private let state = Lock(State())

    private struct State {
        var token: Token?
        /// Reads that are not done; one thread does them all.
        var reads = 0
    }

    /// `@unchecked Sendable`: it is never looked into, only given back to the center, which is Sendable itself.
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
        // Observed before it is first read, so that no change is lost between the two. Never with the queue:
        // on Linux, Foundation would make each poster wait until the queue has delivered.
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

    /// Reads the value and passes it on.
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
        // Taken and released outside of the lock: with the token may go the block and all that it captured.
        guard let token = state.withLock({ $0.token.take() }) else { return }
        center?.removeObserver(token.value)
    }
}
