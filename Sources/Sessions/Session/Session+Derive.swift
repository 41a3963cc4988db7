import ViewModels

extension Session {
    /// Derives the outputs of what was stored anew, and commits what this build derives otherwise than the one that
    /// stored it: whoever waits with an old cursor is told.
    ///
    /// Done once, when the session was read; where it could not be stored, whoever asks next does it. A model that this
    /// build cannot read keeps showing what was stored.
    ///
    /// - Throws: ``SessionFailure``.
    func derive() async throws {
        if isDerived { return }
        for _ in 0...surroundings.limits.replays {
            let settlement: Settlement? = try await turnstile.withTurn { stage in
                try await freshen(stage)
                return deriveDraft(on: stage).map { submit($0, on: stage) }
            }
            switch await settlement?.outcome() {
            case nil: return state.withLock { $0.isDerived = true }
            case .conflict, .gone: continue
            case .notSent, .unknown, .unreadable: throw SessionFailure.unavailable
            }
        }
        throw SessionFailure.unavailable
    }

    private func deriveDraft(on stage: Stage) -> Draft? {
        let feed = latestFeed(on: stage)
        let head = feed.head.advanced(in: surroundings.store.incarnation)
        var views: [(place: Int, view: View)] = []
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            // One that cannot be made or shown keeps what was stored, and is no harm to the others.
            guard var record = feed.view(at: place)?.record,
                let viewModel = try? stage.viewModel(at: place, from: record.model),
                (try? record.update(record.outputs.indices, from: viewModel, at: head.seq)) == true
            else { continue }
            views.append((place, View(declaration, history: head.history, record: record)))
        }
        guard !views.isEmpty else { return nil }
        return Draft(
            commit: commit(from: feed.head, to: head, viewModels: views.map(\.view.record)), views: views)
    }
}
