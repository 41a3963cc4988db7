import ViewModels

extension Session {
    /// The committed state of one view model, or of a facet of it.
    ///
    /// - Parameters:
    ///   - place: the view model's place in the catalogue.
    ///   - facet: the facet's place in the view model's declaration; nil for the whole view model.
    /// - Returns: what is shown, at once; later where the store has to be looked at first, or what it has to be derived.
    /// - Throws: ``SessionFailure``.
    public func view(at place: Int, facet: Int? = nil) throws -> Eventual<View> {
        let facet = facet.map { environment.catalogue.viewModels[place].facets[$0] }
        return try look { try $0.view(at: place, narrowedTo: facet) }
    }

    /// The committed state of every view model, in the order of the catalogue, as one moment shows it.
    ///
    /// - Throws: ``SessionFailure``.
    public func views() async throws -> (cursor: Cursor, views: [View]) {
        try await look { try $0.views() }.value
    }

    /// What changed since the query's cursor, without a wait for the next change.
    ///
    /// - Returns: nil where nothing changed; later where the store has to be looked at first, or what it has to be derived.
    /// - Throws: ``SessionFailure``; ``SessionFailure/evicted`` where it is to be found anew.
    public func changes(_ query: FeedQuery) throws -> Eventual<FeedAnswer?> {
        try look { try $0.changes(query) }
    }

    /// Looks at what is shown: at once, where that is up to date; else once the store was looked at, and what it has derived.
    ///
    /// - Parameter find: nil where the session is behind the store, or not derived.
    /// - Throws: ``SessionFailure``.
    private func look<Found: Sendable>(
        _ find: @escaping @Sendable (inout SessionCore) throws -> Found?
    ) throws -> Eventual<Found> {
        do {
            if !environment.store.isShared, let found = try state.withLock({ try find(&$0.core) }) {
                return .now(found)
            }
        } catch is OutputUnshowable {
            // By now it may be otherwise.
        }
        return .later { [self] in
            // Others may move the session on between two looks.
            for _ in 0...environment.limits.replays {
                try await ask { .show($0) }
                if let found = try state.withLock({ try find(&$0.core) }) { return found }
            }
            throw SessionFailure.unavailable
        }
    }

    /// What changed since the query's cursor: at once where something did, else when it does.
    ///
    /// - Parameter wait: how long to wait for a change; zero asks without waiting.
    /// - Returns: an answer; `idle` after the wait.
    /// - Throws: ``SessionFailure``, such as ``SessionFailure/ended`` in the middle of a wait; `CancellationError` where the
    ///   task is cancelled.
    public func changes(_ query: FeedQuery, wait: Duration, as kind: WaitKind = .poll) async throws -> FeedAnswer {
        if let answer = try await changes(query).value { return answer }
        let waiting = newWait(for: query)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(waiting, lasting: wait, as: kind) { continuation.resume(with: $0) }
                // Cancelled before it could be found by its number: nobody else ends it.
                if Task.isCancelled { waiting.cancel() }
            }
        } onCancel: {
            waiting.cancel()
        }
    }

    /// Waits for a change without keeping a task: ten thousand of these cost a few hundred bytes each.
    ///
    /// - Parameters:
    ///   - wait: how long to wait for a change.
    ///   - answer: called once, from any thread, perhaps before this returns, with what ``changes(_:wait:as:)`` would
    ///     have returned or thrown.
    /// - Returns: the wait, which can be given up.
    public func await(
        _ query: FeedQuery, lasting wait: Duration, as kind: WaitKind = .poll,
        then answer: @escaping @Sendable (Result<FeedAnswer, any Error>) -> Void
    ) -> SessionWait {
        let waiting = newWait(for: query)
        begin(waiting, lasting: wait, as: kind, then: answer)
        return waiting
    }

    private func newWait(for query: FeedQuery) -> SessionWait {
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        return SessionWait(session: self, query: query, number: number)
    }

    private func begin(
        _ wait: SessionWait, lasting duration: Duration, as kind: WaitKind,
        then answer: @escaping @Sendable (Result<FeedAnswer, any Error>) -> Void
    ) {
        let poll = Waits.Wait(number: wait.number, isSupersedable: kind == .poll, deadline: nil) { outcome in
            answer(Self.result(of: outcome))
        }
        let end = environment.now + duration
        if let outcome = park(poll, for: wait.query, isOver: duration <= .zero) {
            endWaits([Waits.Ended(waits: [poll], outcome: outcome)])
        } else {
            setDeadline(end, for: wait)
        }
    }

    /// Lets a poll wait, unless there is something to say; decided under the lock under which changes are published,
    /// so that none falls between the look and the wait.
    private func park(_ poll: Waits.Wait, for query: FeedQuery, isOver: Bool) -> Waits.Outcome? {
        let (outcome, superseded) = handle { core in
            // Under the lock: a wait that does not see it is seen by the walk that ends those that wait.
            core.park(poll, for: query, isOver: isOver, isDraining: environment.isDraining)
        }
        if let superseded { endWaits([superseded]) }
        return outcome
    }

    private func setDeadline(_ time: Duration, for wait: SessionWait) {
        // Forgotten by the timer as soon as the wait is over, and with it the session.
        let deadline = environment.timer.schedule(at: time) { [self] in
            finish(wait) { .idle(.deadline, at: $0) }
        }
        let isWaiting = state.withLock { $0.core.waits.setDeadline(deadline, of: wait.number, for: wait.query) }
        if !isWaiting { environment.timer.cancel(CollectionOfOne(deadline)) }
    }

    /// Answers whoever waits, because the server is about to stop.
    func drain() {
        endWaits(handle { $0.sendAway() })
    }

    /// Ends a wait, if nothing else has ended it.
    ///
    /// - Parameter outcome: given how far the consumer has heard everything.
    func finish(_ wait: SessionWait, with outcome: (Cursor) -> Waits.Outcome) {
        let (poll, cursor) = handle(mayRunViewModels: false) {
            ($0.waits.remove(wait.number, for: wait.query), $0.idleCursor(for: wait.query))
        }
        if let poll { endWaits([Waits.Ended(waits: [poll], outcome: outcome(cursor))]) }
    }

    private static func result(of outcome: Waits.Outcome) -> Result<FeedAnswer, any Error> {
        switch outcome {
        case .changed(let answer): .success(answer)
        case .idle(let reason, let cursor): .success(FeedAnswer(.idle(reason), at: cursor))
        case .failed(let error): .failure(error)
        case .ended: .failure(SessionFailure.ended)
        case .cancelled: .failure(CancellationError())
        }
    }
}

/// A wait for a change of a session, as something that can be given up.
public struct SessionWait: Sendable {
    let session: Session
    let query: FeedQuery
    let number: UInt64

    /// Gives the wait up; where it is over already, nothing happens.
    public func cancel() { session.finish(self) { _ in .cancelled } }

    /// Ends the wait as if its time were over; where it is over already, nothing happens.
    public func end() { session.finish(self) { .idle(.deadline, at: $0) } }
}

/// What a wait is for.
public enum WaitKind: Sendable {
    /// A long-poll, of which a session has only so many.
    case poll
    /// An event stream's wait for its next event.
    case stream
}
