import Foundation
import Synchronization

/// A Mutex that the thread sanitizer understands.
///
/// On Linux a contended `Mutex` uses a futex inside the standard library, which is not instrumented (Swift 6.3). So the
/// sanitizer reports each pair of critical sections as a race. In a debug build this lock tells the sanitizer their order,
/// as the concurrency runtime does for its own locks. In a release build it is only the Mutex.
@usableFromInline
package struct Lock<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    /// Makes a lock that guards `state`.
    @inlinable
    package init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs `body` with the guarded state, one thread at a time.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if DEBUG
            // A Mutex never moves, so its address identifies it. Nothing is read or written through the pointer.
            let name = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: UnsafeRawPointer($0)) }
            return try mutex.withLock { state throws(Failure) in
                ThreadSanitizer.hooks?.acquire(name)
                defer { ThreadSanitizer.hooks?.release(name) }
                return try body(&state)
            }
        #else
            return try mutex.withLock(body)
        #endif
    }
}

#if DEBUG
    /// The sanitizer's runtime, when the process was built with it.
    @usableFromInline
    enum ThreadSanitizer {
        @usableFromInline typealias Hook = @convention(c) (UnsafeMutableRawPointer) -> Void

        @usableFromInline static let hooks: (acquire: Hook, release: Hook)? = {
            guard let acquire = dlsym(nil, "__tsan_acquire"), let release = dlsym(nil, "__tsan_release") else {
                return nil
            }
            // Safe: `void __tsan_acquire(void *)` and `void __tsan_release(void *)` of sanitizer/tsan_interface.h.
            return (unsafeBitCast(acquire, to: Hook.self), unsafeBitCast(release, to: Hook.self))
        }()
    }
#endif
