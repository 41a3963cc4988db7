import Foundation
import Locking

/// Reads the observed property of a plain object when told that it changed, and passes the value on to be delivered.
///
/// Reads are one at a time and in one order with the deliveries, so that of two threads that change and post at once
/// neither can pass on an older value last. A getter is its user's code, so this cannot be done under a lock: a
/// thread that comes while another reads leaves it to that one to read once more.
///
/// `@unchecked Sendable`: the object is an ordinary one and held weakly. It is read in the threads in which its owner posts
/// a change, and in which it is first observed; that these may touch it is the rule stated at `post(_:of:)`.
final class PropertyReader<Root: AnyObject, Value: Sendable>: @unchecked Sendable {
    private weak let root: Root?
    private let keyPath: KeyPath<Root, Value>
    private let delivery: Delivery<Value>
    private let reads = Lock(Reads())

    private struct Reads {
        var wanted = 0
        var isReading = false

        /// Counts a read as done; true when it was the last that was wanted.
        mutating func finishOne() -> Bool {
            wanted -= 1
            if wanted == 0 { isReading = false }
            return wanted == 0
        }
    }

    init(root: Root, keyPath: KeyPath<Root, Value>, delivery: Delivery<Value>) {
        self.root = root
        self.keyPath = keyPath
        self.delivery = delivery
    }

    /// Reads and delivers if the change concerns this property; false when the observation has ended.
    func receive(_ change: PropertyChange) -> Bool {
        delivery.endIfAbandoned()
        guard !delivery.isEnded, let root else { return false }
        if change.concerns(keyPath, of: root) { read(root) }
        return true
    }

    /// Reads the value and passes it on.
    func read(_ root: Root) {
        let isFirst = reads.withLock { reads in
            reads.wanted += 1
            defer { reads.isReading = true }
            return !reads.isReading
        }
        guard isFirst else { return }
        repeat {
            _ = delivery.enqueue(root[keyPath: keyPath])
        } while !reads.withLock { $0.finishOne() }
        delivery.flush()
    }
}
