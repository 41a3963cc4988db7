import Foundation
import Synchronization

#if DEBUG
    /// A Mutex that the thread sanitizer understands.
    ///
    /// On Linux a contended `Mutex` hands over by a futex inside the standard library, which is not instrumented: the sanitizer
    /// does not see that one critical section comes after the other, and takes every pair of them for a race (Swift 6.3).
    /// This one tells it, as the concurrency runtime does for its own. A release build has the Mutex itself.
    @usableFromInline
    package struct Lock<State>: ~Copyable, Sendable {
        private let mutex: Mutex<State>

        /// Makes a lock that guards `state`.
        @usableFromInline
        package init(_ state: consuming sending State) {
            mutex = Mutex(state)
        }

        /// Runs `body` with what is guarded, one thread at a time.
        @usableFromInline
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            // A Mutex never moves, so its address is a name for it; it is not read or written through.
            let name = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: UnsafeRawPointer($0)) }
            return try mutex.withLock { state throws(Failure) in
                ThreadSanitizer.hooks?.acquire(name)
                defer { ThreadSanitizer.hooks?.release(name) }
                return try body(&state)
            }
        }
    }

    /// The sanitizer's runtime, when the process was built with it.
    private enum ThreadSanitizer {
        typealias Hook = @convention(c) (UnsafeMutableRawPointer) -> Void

        static let hooks: (acquire: Hook, release: Hook)? = {
            guard let acquire = dlsym(nil, "__tsan_acquire"), let release = dlsym(nil, "__tsan_release") else {
                return nil
            }
            // Safe: `void __tsan_acquire(void *)` and `void __tsan_release(void *)` of sanitizer/tsan_interface.h.
            return (unsafeBitCast(acquire, to: Hook.self), unsafeBitCast(release, to: Hook.self))
        }()
    }
#else
    /// A Mutex.
    @usableFromInline
    package typealias Lock = Mutex
#endif
