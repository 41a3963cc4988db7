import Locking

/// Holds tasks up until a test lets them through.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    /// A closed gate.
    package init() {}

    /// Returns once the gate is open; takes no heed of cancellation.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                state.arrivals += 1
                let arrivals = state.arrivals
                let watchers = state.watchers.filter { $0.count <= arrivals }
                state.watchers.removeAll { $0.count <= arrivals }
                if !state.isOpen { state.held.append(continuation) }
                return (state.isOpen, watchers)
            }
            if isOpen { continuation.resume() }
            for watcher in watchers { watcher.continuation.resume() }
        }
    }

    /// How many have come to the gate since it was made.
    package var arrived: Int { state.withLock { $0.arrivals } }

    /// Returns once so many have come to the gate since it was made.
    package func arrivals(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets everybody through, now and from now on.
    package func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
