import Locking

/// Changes that come from inside a view model, kept until the walk has a turn for them.
final class ChangeQueue: Sendable {
    struct Change: Sendable {
        let body: @Sendable () -> Void
        let done: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var changes: [Change] = []
        var isClosed = false
    }

    private let state = Lock(State())

    deinit { close() }

    /// Waits for a turn.
    ///
    /// - Throws: `CancellationError` where there is none any more.
    func submit(_ body: @escaping @Sendable () -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.changes.append(Change(body: body, done: continuation)) }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: CancellationError()) }
        }
    }

    /// Whether a change has no turn yet.
    var isWaitedFor: Bool { state.withLock { !$0.changes.isEmpty } }

    /// The changes that came since the last call; whoever takes them resumes them.
    func take() -> [Change] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    /// Gives nobody a turn any more.
    func close() {
        let changes = state.withLock { state in
            defer { state = State(changes: [], isClosed: true) }
            return state.changes
        }
        for change in changes { change.done.resume(throwing: CancellationError()) }
    }
}
