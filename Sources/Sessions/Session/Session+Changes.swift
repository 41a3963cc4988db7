import ViewModels

extension Session {
    /// What a wait is for.
    public enum WaitKind: Sendable {
        /// A long-poll, of which a session has only so many.
        case poll
        /// An event stream's wait for its next event.
        case stream
    }

    /// What changed since the query's cursor: at once where something did, else when it does.
    ///
    /// - Parameters:
    ///   - wait: how long to wait for a change; zero asks without waiting.
    /// - Returns: an answer; `idle` after the wait.
    /// - Throws: ``SessionFailure/ended``, also in the middle of a wait; ``SessionFailure/unavailable``;
    ///   `CancellationError` where the task is cancelled.
    public func changes(_ query: FeedQuery, wait: Duration, as kind: WaitKind = .poll) async throws -> FeedAnswer {
        // A cursor that says nothing to us may be another replica's, which has moved on: look before calling it wrong.
        if state.withLock({ $0.feed.snapshotReason(for: query).map { $0 != .initial } ?? false }) { try await reread() }
        try await makeViews(
            at: state.withLock { state in
                state.feed.snapshotReason(for: query) == nil ? [] : state.feed.untouched(by: query)
            })
        let now = surroundings.timer.now
        let outcome: WaitingPolls.Outcome
        if let known = state.withLock({ Self.outcome(of: query, in: &$0) }) {
            outcome = known
        } else if wait <= .zero {
            outcome = .idle(.deadline)
        } else {
            outcome = await self.wait(for: query, until: now + wait, as: kind)
        }
        use()
        switch outcome {
        case .changed(let answer): return answer
        case .idle(let reason): return FeedAnswer(.idle(reason), at: cursor)
        case .ended: throw SessionFailure.ended
        case .cancelled: throw CancellationError()
        }
    }

    /// What can be said without waiting.
    private static func outcome(of query: FeedQuery, in state: inout State) -> WaitingPolls.Outcome? {
        guard !state.hasEnded else { return .ended }
        return state.feed.answer(to: query).map { .changed($0) }
    }

    private func wait(for query: FeedQuery, until time: Duration, as kind: WaitKind) async -> WaitingPolls.Outcome {
        let id = state.withLock { state in
            state.nextPoll += 1
            return state.nextPoll
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let poll = WaitingPolls.Poll(
                    query: query, isSupersedable: kind == .poll, continuation: continuation, deadline: nil)
                if let outcome = park(poll, as: id) {
                    continuation.resume(returning: outcome)
                } else {
                    setDeadline(time, for: id)
                }
            }
        } onCancel: {
            finish(id, with: .cancelled)
        }
    }

    /// Lets a poll wait, unless there is something to say; decided under the lock under which changes are published,
    /// so that none falls between the look and the wait.
    private func park(_ poll: WaitingPolls.Poll, as id: UInt64) -> WaitingPolls.Outcome? {
        let limits = surroundings.limits
        let limit = self.id == .public ? limits.pollsOfPublicSession : limits.pollsPerSession
        let (outcome, superseded): (WaitingPolls.Outcome?, WaitingPolls.Poll?) = state.withLock { state in
            if let outcome = Self.outcome(of: poll.query, in: &state) { return (outcome, nil) }
            if surroundings.isDraining { return (.idle(.draining(retryAfter: .random(in: 0...5))), nil) }
            // Cancelled before it could be found by its number: nobody else will answer it.
            if Task.isCancelled { return (.cancelled, nil) }
            return (nil, state.polls.add(poll, as: id, limit: limit))
        }
        if let superseded { answer([superseded]) { _ in .idle(.superseded) } }
        return outcome
    }

    private func setDeadline(_ time: Duration, for id: UInt64) {
        let deadline = surroundings.timer.schedule(at: time) { [weak self] in
            self?.finish(id, with: .idle(.deadline))
        }
        let isWaiting = state.withLock { $0.polls.setDeadline(deadline, for: id) }
        if !isWaiting { surroundings.timer.cancel([deadline]) }
    }

    /// Ends a wait, if nothing else has ended it.
    private func finish(_ id: UInt64, with outcome: WaitingPolls.Outcome) {
        guard let poll = state.withLock({ $0.polls.remove(id) }) else { return }
        answer([poll]) { _ in outcome }
    }
}
