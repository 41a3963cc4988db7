import ViewModels

extension Session {
    /// Whether an action may run on an event loop.
    func isFast(_ action: Int, of place: Int) -> Bool { surroundings.paces[place][action].road == .here }

    /// Runs an action on this thread, one that was known to be fast a moment ago and so never waits.
    func runHere(_ action: Int, of place: Int, on viewModel: any HostedViewModel, body: [UInt8]) throws {
        let isDone = try surroundings.paces[place][action].run(
            action, on: viewModel, body: body, by: surroundings.timeline)
        assert(isDone, "Only an action that does not wait can be known to be fast.")
    }

    /// Runs an action where it holds up no session but this one.
    ///
    /// The caller may be an event loop: a task begins on the one that its request came from.
    ///
    /// - Throws: what the action throws; ``SessionFailure/busy``.
    func run(_ action: Int, of place: Int, on viewModel: any HostedViewModel, body: [UInt8]) async throws {
        switch surroundings.paces[place][action].road {
        case .here: return try runHere(action, of: place, on: viewModel, body: body)
        case .aside: if try await runAside(action, of: place, on: viewModel, body: body) { return }
        // Off the loop, before the action does anything: it may take long to come to its first `await`.
        case .pool: await Task.yield()
        }
        try await viewModel.perform(action, body: body)
    }

    /// Runs an action on a thread of its own, unless it is `async`.
    ///
    /// The cooperative pool has as many threads as there are cores: actions that block would hold all that is async.
    private func runAside(
        _ action: Int, of place: Int, on viewModel: any HostedViewModel, body: [UInt8]
    ) async throws -> Bool {
        let pace = surroundings.paces[place][action]
        let timeline = surroundings.timeline
        // Safe: the turn is this task's, which does nothing until the thread is done with the view model.
        nonisolated(unsafe) let viewModel = viewModel
        let outcome = await withCheckedContinuation { continuation in
            let isTaken = surroundings.actionThreads.run {
                let outcome = Result { try pace.run(action, on: viewModel, body: body, by: timeline) }
                continuation.resume(returning: outcome)
            }
            if !isTaken { continuation.resume(returning: .failure(SessionFailure.busy)) }
        }
        return try outcome.get()
    }
}
