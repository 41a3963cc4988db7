import ViewModels

extension Session {
    /// Derives the outputs of what was stored anew, and commits what this build derives otherwise.
    ///
    /// Whoever waits with an old cursor is told: also of what nobody has touched and shows something else now, as a view
    /// model that is new.
    ///
    /// Done once, when the session was read; where it could not be stored, whoever asks next does it. A view model whose
    /// model this build cannot read is not shown, and not touched; what a later version derived is shown as it is. From
    /// then on those are alive that change by themselves.
    ///
    /// - Throws: ``SessionFailure``.
    func derive() async throws {
        if isDerived { return }
        for _ in 0...surroundings.limits.replays {
            let settlement: Settlement? = try await turnstile.withTurn { stage in
                try await freshen(stage)
                let settlement = deriveDraft(on: stage).map { submit($0, on: stage) }
                // Those with a model are alive by now.
                for place in untouched.restless { _ = try? makeView(at: place, on: stage) }
                return settlement
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
            if feed.record(at: place) == nil {
                guard !feed.beginnings.has(untouched.beginnings.marks[place]),
                    let view = try? initialView(at: place, history: head.history, on: stage, from: head.seq)
                else { continue }
                views.append((place, view))
                continue
            }
            // One whose outputs cannot be encoded keeps what was stored; none is harm to the others.
            guard let stored = feed.record(at: place),
                let viewModel = try? viewModel(at: place, from: stored, on: stage),
                case let (record, isChanged)? = try? stored.derived(by: viewModel, of: declaration, at: head.seq),
                isChanged
            else { continue }
            views.append((place, View(declaration, history: head.history, record: record)))
        }
        guard !views.isEmpty else { return nil }
        return Draft(
            commit: commit(from: feed, to: head, viewModels: views.map(\.view.record)), views: views)
    }
}
