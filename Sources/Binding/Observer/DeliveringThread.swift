import Foundation

/// Knows whether the current thread is inside a delivery, of whatever observation.
///
/// A cancel from inside a delivery must not wait for another delivery: two that cancel one another would wait
/// for ever. Thread-local by pthread, since a delivery is synchronous and `Thread.current` costs more than it does.
@usableFromInline
enum DeliveringThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when the process has used up its keys (1,024 on Linux), before which nothing here can work.
        guard pthread_key_create(&key, nil) == 0 else { fatalError("no thread-local key left") }
        return key
    }()

    static var isDelivering: Bool { depth > 0 }

    @usableFromInline
    static func enter() { depth += 1 }

    @usableFromInline
    static func leave() { depth -= 1 }

    /// Kept in the pointer itself: nothing is allocated for a thread.
    private static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}
