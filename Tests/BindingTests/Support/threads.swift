import Foundation

/// Runs `bodies` in a thread each, all let go at once, and returns when all are done.
///
/// Real threads and not tasks: what is tested may block, and tasks share few threads.
func race(_ bodies: (@Sendable () -> Void)...) {
    let start = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for body in bodies {
        done.enter()
        let thread = Thread {
            start.wait()
            body()
            done.leave()
        }
        thread.start()
    }
    for _ in bodies { start.signal() }
    done.wait()
}

/// Runs `body` in a thread of its own; the answer waits for its end.
func inThread(_ body: @escaping @Sendable () -> Void) -> DispatchGroup {
    let done = DispatchGroup()
    done.enter()
    let thread = Thread {
        body()
        done.leave()
    }
    thread.start()
    return done
}
