import Dispatch
import Foundation
import Locking

/// SIGTERM and SIGINT as something to wait for.
///
/// From its making on, they no longer end the process by themselves; the second of them does, at once, with the status
/// that a shell gives a process ended by that signal. SIGHUP and SIGPIPE end nothing any more: there is no log file to open
/// anew, and who reads the log may go.
final class StopSignals: Sendable {
    private struct State: Sendable {
        var arrived: String?
        var waiting: CheckedContinuation<String, Never>?
    }

    /// How long after the first signal the process ends, if it is still there by then.
    private let patience: DispatchTimeInterval
    /// Told of that before: of the first signal's name, and how long ago it came.
    private let abandoned: @Sendable (String, Duration) -> Void
    private let state = Lock(State())
    /// Has a thread of its own, as each queue that is not global.
    ///
    /// The threads of the global queues are as many as there are cores, and they run Swift's tasks as well: on one core,
    /// whoever waits there for another of them waits for libdispatch to see, after a second, that nothing moves; and a view
    /// model that hangs would keep a signal from being heard.
    private let queue = DispatchQueue(label: "bindery.signals")
    // Safe: the array is complete before anyone else has the object, and is never changed; it keeps the sources alive.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - patience: how long after the first signal the process ends with status 1, if it is still there by then.
    ///   - hangUp: told of each SIGHUP.
    ///   - abandoned: told that the process is about to end with status 1, of the first signal's name and how long ago it
    ///     came; it has 400 ms to return.
    init(
        patience: DispatchTimeInterval, hangUp: @escaping @Sendable () -> Void,
        abandoned: @escaping @Sendable (_ signal: String, _ time: Duration) -> Void
    ) {
        self.patience = patience
        self.abandoned = abandoned
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGTERM, SIGINT, SIGHUP]
        sources = numbers.map { [queue] number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        let registered = DispatchGroup()
        for (source, number) in zip(sources, numbers) {
            source.setEventHandler { [weak self] in number == SIGHUP ? hangUp() : self?.arrived(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        // Until then a signal would be ignored, and nobody would ever know of it.
        registered.wait()
    }

    /// Returns when the first signal has arrived, with its name.
    func first() async -> String {
        await withCheckedContinuation { continuation in
            let arrived = state.withLock { state in
                if state.arrived == nil { state.waiting = continuation }
                return state.arrived
            }
            if let arrived { continuation.resume(returning: arrived) }
        }
    }

    private func arrived(_ number: Int32) {
        let name = number == SIGTERM ? "SIGTERM" : "SIGINT"
        let (isSecond, waiting) = state.withLock { state in
            defer { state.arrived = name }
            return (state.arrived != nil, state.waiting.take())
        }
        guard !isSecond else { _exit(128 + number) }
        // Here: whoever waits for the signal may be kept from it, by tasks that hold the pool.
        let start = ContinuousClock.now
        queue.asyncAfter(deadline: .now() + patience) { [abandoned] in
            // On another thread: what hangs may be whoever takes the log.
            let told = DispatchSemaphore(value: 0)
            DispatchQueue(label: "bindery.abandoned").async {
                abandoned(name, start.duration(to: .now))
                told.signal()
            }
            _ = told.wait(timeout: .now() + .milliseconds(400))
            _exit(1)
        }
        waiting?.resume(returning: name)
    }
}
