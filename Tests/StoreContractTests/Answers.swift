import Locking
import Sessions

/// Submits commits without waiting, and gathers what becomes of them.
final class Answers: Sendable {
    private struct State {
        var submitted = 0
        var failures: [Int: StoreFailure?] = [:]
        var order: [Int] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let store: any SessionStore
    private let state = Lock(State())

    init(of store: any SessionStore) { self.store = store }

    /// The numbers of the commits, counted from 0, in the order in which they were answered.
    var order: [Int] { state.withLock { $0.order } }

    func submit(_ commit: Commit) {
        let number = state.withLock { state in
            defer { state.submitted += 1 }
            return state.submitted
        }
        store.submit(commit) { failure in
            let waiting = self.state.withLock { state in
                state.failures[number] = .some(failure)
                state.order.append(number)
                guard state.failures.count == state.submitted else { return nil as CheckedContinuation<Void, Never>? }
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }

    /// What became of every commit, nil for those that were stored; returns when all are answered.
    func all() async -> [StoreFailure?] {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.failures.count < state.submitted else { return true }
                state.waiting = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
        return state.withLock { state in (0..<state.submitted).map { state.failures[$0] ?? nil } }
    }
}
