import Dispatch
import Foundation
import Locking

/// SIGTERM and SIGINT as something to wait for.
///
/// The first of them ends nothing by itself. The second one ends the process at once, with the status that a shell gives
/// to a process that the signal ended. SIGHUP and SIGPIPE end nothing.
final class StopSignals: Sendable {
    private struct State: Sendable {
        var arrived: String?
        var waiting: CheckedContinuation<String, Never>?
    }

    private let state = Lock(State())
    // A queue of its own has a thread of its own, which a view model that blocks the pool does not take.
    private let queue = DispatchQueue(label: "bindery.signals")
    private let late: @Sendable (String) -> Void
    // Safe: complete before another thread has the object, and never changed; the array keeps the sources alive.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// How long after the first signal the process ends with status 1, whatever hangs.
    private static let patience = DispatchTimeInterval.milliseconds(9500)

    /// - Parameter late: told the first signal's name before the process ends with status 1.
    init(late: @escaping @Sendable (String) -> Void) {
        self.late = late
        signal(SIGPIPE, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        let numbers = [SIGTERM, SIGINT]
        sources = numbers.map { [queue] number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        let registered = DispatchGroup()
        for (source, number) in zip(sources, numbers) {
            source.setEventHandler { [weak self] in self?.take(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        // A signal before the registration would be lost.
        registered.wait()
    }

    /// Returns the name of the first signal, when it has arrived.
    func first() async -> String {
        await withCheckedContinuation { continuation in
            let arrived = state.withLock { state in
                if state.arrived == nil { state.waiting = continuation }
                return state.arrived
            }
            if let arrived { continuation.resume(returning: arrived) }
        }
    }

    private func take(_ number: Int32) {
        let name = number == SIGTERM ? "SIGTERM" : "SIGINT"
        let (isSecond, waiting) = state.withLock { state in
            defer { state.arrived = name }
            return (state.arrived != nil, state.waiting.take())
        }
        guard !isSecond else { _exit(128 + number) }
        queue.asyncAfter(deadline: .now() + Self.patience) { [late] in
            // The log may be what hangs.
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(400)) { _exit(1) }
            late(name)
            _exit(1)
        }
        waiting?.resume(returning: name)
    }
}
