import ViewModels

extension Session {
    /// The committed state of one view model, or of a facet of it.
    ///
    /// - Parameters:
    ///   - place: the view model's place in the catalogue.
    ///   - facet: the facet's place in the view model's declaration; nil for the whole view model.
    /// - Returns: what is shown, at once; later where the store has to be looked at first, or what it has to be derived.
    /// - Throws: ``SessionFailure``.
    package func view(at place: Int, facet: Int? = nil) throws -> Eventual<View> {
        let facet = facet.map { environment.catalogue.viewModels[place].facets[$0] }
        return try look { try $0.view(at: place, narrowedTo: facet) }
    }

    /// The committed state of every view model, in the order of the catalogue, as one moment shows it, and in which language.
    ///
    /// - Throws: ``SessionFailure``.
    package func views() async throws -> Shown { try await look { try $0.views() }.value }

    /// A session's place, its language, and all its view models.
    package typealias Shown = (cursor: Cursor, language: Language, views: [View])

    /// The same as it is known here, without a look at the store; nil where it is not known, or not derived.
    ///
    /// After a commit of the session's own that is as new as a look would find it.
    package func knownViews() throws -> Shown? { try state.withLock { try $0.core.views() } }

    /// What changed since the query's cursor, without a wait for the next change.
    ///
    /// - Returns: nil where nothing changed; later where the store has to be looked at first, or what it has to be derived.
    /// - Throws: ``SessionFailure``; ``SessionFailure/evicted`` where it is to be found anew.
    package func changes(_ query: FeedQuery) throws -> Eventual<FeedAnswer?> {
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
            throw SessionFailure.unavailable(.conflicts)
        }
    }

    /// Waits for a change without keeping a task: ten thousand of these cost a few hundred bytes each.
    ///
    /// - Parameters:
    ///   - duration: how long to wait for a change; zero asks without waiting.
    ///   - answer: called once, from any thread, perhaps before this returns, with what changed since the query's cursor, `idle`
    ///     after the wait; ``SessionFailure``, such as ``SessionFailure/ended`` in the middle of it; `CancellationError` where it
    ///     was given up.
    /// - Returns: the wait, which can be given up.
    package func wait(
        for query: FeedQuery, lasting duration: Duration, as kind: WaitKind = .poll,
        then answer: @escaping @Sendable (Result<FeedAnswer, any Error>) -> Void
    ) -> SessionWait {
        let end = environment.now + duration
        // Decided under the lock under which changes are published, so that none falls between the look and the wait.
        let (wait, outcome, superseded) = handle { core in
            core.lastWait += 1
            let wait = Waits.Wait(number: core.lastWait, isSupersedable: kind == .poll, deadline: nil) { outcome in
                answer(Self.result(of: outcome))
            }
            // Under the lock: a wait that does not see it is seen by the walk that ends those that wait.
            let (outcome, superseded) = core.enter(
                wait, for: query, isOver: duration <= .zero, isDraining: environment.isDraining)
            return (wait, outcome, superseded)
        }
        if let superseded { endWaits([superseded]) }
        let entered = SessionWait(session: self, query: query, number: wait.number)
        if let outcome {
            endWaits([Waits.Ended(waits: [wait], outcome: outcome)])
        } else {
            setDeadline(end, for: entered)
        }
        return entered
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
        let (waiting, cursor) = handle(on: .reserved) {
            ($0.waits.remove(wait.number, for: wait.query), $0.idleCursor(for: wait.query))
        }
        if let waiting { endWaits([Waits.Ended(waits: [waiting], outcome: outcome(cursor))]) }
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
package struct SessionWait: Sendable {
    let session: Session
    let query: FeedQuery
    let number: UInt64

    /// Gives the wait up; where it is over already, nothing happens.
    package func cancel() { session.finish(self) { _ in .cancelled } }

    /// Ends the wait as if its time were over; where it is over already, nothing happens.
    package func end() { session.finish(self) { .idle(.deadline, at: $0) } }
}

/// What a wait is for.
package enum WaitKind: Sendable {
    /// A long-poll, of which a session has only so many.
    case poll
    /// An event stream's wait for its next event.
    case stream
}
