/// An action that has run, and whose step is on its way to the store, stored already, or refused.
public struct SubmittedAction: Sendable {
    let attempt: Attempt
    /// Runs the action again, where someone else moved the session on first.
    let again: @Sendable () async throws -> Performed

    /// What became of it, where that is known already; nil where it is still on its way, or has to be run again.
    public var result: Result<Performed, any Error>? {
        guard let settlement = attempt.settlement else { return attempt.result }
        return settlement.isStored ? attempt.result : nil
    }

    /// Calls back, once, when what became of it is stored; from the store's thread or any other, so that it must not block.
    public func whenStored(_ answer: @escaping @Sendable (Result<Performed, any Error>) -> Void) {
        guard let settlement = attempt.settlement else { return answer(attempt.result) }
        settlement.whenSettled { [attempt, again] failure in
            switch failure {
            case nil: answer(attempt.result)
            case .unavailable: answer(.failure(SessionFailure.unavailable))
            case .conflict:
                Task {
                    do { answer(.success(try await again())) } catch { answer(.failure(error)) }
                }
            }
        }
    }
}
