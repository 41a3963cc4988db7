import Locking
import Sessions

// What a server asks of a session and is told of later, as tests like to write it: awaited.

extension Session {
    /// How many polls and streams wait for a change.
    package var waitingCount: Int { standing.waits }

    /// Asks for an action without a key.
    ///
    /// - Returns: what the view model shows now, once that is stored.
    /// - Throws: as `ask(for:body:once:where:)` says.
    package func perform(
        _ action: ActionID, body: [UInt8] = [],
        where isWanted: @escaping @Sendable (String?) -> Bool = { _ in true }
    ) async throws -> View {
        switch try await perform(action, body: body, once: nil, where: isWanted) {
        case .done(let view): view
        // Only what has a key is remembered.
        case .remembered: throw SessionFailure.unavailable(.notRead)
        }
    }

    /// Asks for an action; a cancelled task takes one out that has not begun.
    ///
    /// - Throws: as `ask(for:body:once:where:)` says.
    package func perform(
        _ action: ActionID, body: [UInt8] = [], once request: IdempotentRequest?,
        where isWanted: @escaping @Sendable (String?) -> Bool = { _ in true }
    ) async throws -> ActionResult {
        let requested = ask(for: action, body: body, once: request, where: isWanted)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                requested.whenDone { continuation.resume(with: $0) }
            }
        } onCancel: {
            requested.callOff()
        }
    }

    /// What changed since the query's cursor: at once where something did, else when it does.
    ///
    /// - Parameter duration: how long to wait for a change; zero asks without waiting.
    /// - Returns: an answer; `idle` after the wait.
    /// - Throws: as `wait(for:lasting:as:then:)` says; `CancellationError` where the task is cancelled.
    package func changes(
        _ query: FeedQuery, wait duration: Duration, as kind: WaitKind = .poll
    ) async throws -> FeedAnswer {
        if let answer = try await changes(query).value { return answer }
        let begun = Lock<SessionWait?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let wait = wait(for: query, lasting: duration, as: kind) { continuation.resume(with: $0) }
                begun.withLock { $0 = wait }
                // Cancelled before it could be found: nobody else ends it.
                if Task.isCancelled { wait.cancel() }
            }
        } onCancel: {
            begun.withLock { $0 }?.cancel()
        }
    }
}
