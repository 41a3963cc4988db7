import Dispatch
import Foundation
import Locking

/// SIGTERM, SIGINT and SIGHUP as something to wait for.
///
/// From its making on, they no longer end the process by themselves; the second of them does, at once, with the status
/// that a shell gives a process ended by that signal. SIGHUP stays ignored where whoever started the process wants that,
/// as nohup(1) does. SIGPIPE ends nothing any more: who reads the log may go.
final class StopSignals: Sendable {
    private struct State: Sendable {
        var hasArrived = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// How long after the first signal the process ends, if it is still there by then.
    private let patience: DispatchTimeInterval
    private let state = Lock(State())
    /// Has a thread of its own, as each queue that is not global.
    ///
    /// The threads of the global queues are as many as there are cores, and they run Swift's tasks as well: on one core,
    /// whoever waits there for another of them waits for libdispatch to see, after a second, that nothing moves; and a view
    /// model that hangs would keep a signal from being heard.
    private let queue = DispatchQueue(label: "bindery.signals")
    // Safe: the array is complete before anyone else has the object, and is never changed; it keeps the sources alive.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init(patience: DispatchTimeInterval) {
        self.patience = patience
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGTERM, SIGINT] + (Self.hangUpIsIgnored ? [] : [SIGHUP])
        sources = numbers.map { [queue] number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        let registered = DispatchGroup()
        for (source, number) in zip(sources, numbers) {
            source.setEventHandler { [weak self] in self?.arrived(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        // Until then a signal would be ignored, and nobody would ever know of it.
        registered.wait()
    }

    /// As the process found it: the first of these ignores it from then on, too.
    private static let hangUpIsIgnored = isIgnored(SIGHUP)

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        // Fails only for a signal that there is none of. SIG_IGN is no function but a number: compared as such.
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Returns when the first signal has arrived.
    func first() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                state.waiting = continuation
                return state.hasArrived
            }
            if hasArrived { release() }
        }
    }

    private func arrived(_ number: Int32) {
        let isSecond = state.withLock { state in
            defer { state.hasArrived = true }
            return state.hasArrived
        }
        guard !isSecond else { _exit(128 + number) }
        // Here: whoever waits for the signal may be kept from it, by tasks that hold the pool.
        queue.asyncAfter(deadline: .now() + patience) { _exit(1) }
        release()
    }

    private func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
