/// An action whose step is on its way to the store.
public struct ActionUnderWay: Sendable {
    let settlement: Settlement
    /// What to say once the step is stored.
    let result: Result<Performed, any Error>
    /// Runs the action again, where someone else moved the session on first.
    let again: @Sendable () async throws -> Performed

    /// Calls back, once, when what became of it is stored; from the store's thread or any other, so that it must not block.
    public func whenStored(_ answer: @escaping @Sendable (Result<Performed, any Error>) -> Void) {
        settlement.whenSettled { [result, again] failure in
            switch failure {
            case nil: answer(result)
            case .notSent, .unknown, .unreadable: answer(.failure(SessionFailure.unavailable))
            case .conflict, .gone:
                Task {
                    do { answer(.success(try await again())) } catch { answer(.failure(error)) }
                }
            }
        }
    }
}
