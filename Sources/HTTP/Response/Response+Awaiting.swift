extension Response {
    /// What a task of its own comes to: for an answer that takes an `await`.
    ///
    /// The task begins where it is asked for, on the connection's event loop mostly, and stays there up to its first
    /// suspension: it must not block. It is cancelled when the client is gone or the server stops, not when the client
    /// only closes its half. A thrown ``Problem`` is the answer; any other error a 500 without its text.
    ///
    /// A suspended task keeps some KiB: what many wait for at once is better left to ``Body/later(_:)``.
    public static func awaiting(
        _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Response
    ) -> Response {
        Response(
            body: .later { pending in
                let task = Task.immediate {
                    do { pending.answer(try await body()) } catch { pending.answer(Problem(error)) }
                }
                return { departure in
                    if case .gone = departure { task.cancel() }
                }
            })
    }
}
