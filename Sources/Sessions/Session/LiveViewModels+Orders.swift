import ViewModels

// What the live view models are asked for. Nothing here knows what is on its way or who waits.

extension LiveViewModels {
    /// Gathers what changed, after an action or a change from inside that may have failed.
    func gather(
        actedOn place: Int, after result: Result<Void, any Error>, on feed: ChangeFeed, to head: SessionHead
    ) -> Acted {
        switch result {
        case .success: gather(actedOn: place, on: feed, to: head)
        // It did not begin.
        case .failure(SessionFailure.busy): .notBegun(SessionFailure.busy)
        case .failure(let error): failed(error, on: feed)
        }
    }

    /// Gathers what changed, after an action or a change from inside.
    ///
    /// - Parameters:
    ///   - place: where the view model stands that acted.
    ///   - feed: what was submitted before.
    ///   - head: the commit that brings what changed.
    func gather(actedOn place: Int, on feed: ChangeFeed, to head: SessionHead) -> Acted {
        do {
            let listeners = listeners(beside: place)
            let silent = try listeners.filter { try !isOfLater(at: $0, on: feed) }
            let touched = changedOutputs(of: [place] + silent)
            var views: [(place: Int, view: View)] = []
            func show(_ place: Int) throws {
                let view = try changedView(at: place, touched: touched, on: feed, to: head)
                if let view { views.append((place, view)) }
            }
            try show(place)
            var others = listeners
            let viewModels = touched.viewModels.subtracting([place])
            if !viewModels.isEmpty { others = viewModels.union(listeners).sorted() }
            for other in others {
                // What was not shown before fails nobody else's action.
                if feed.view(at: other) == nil { try? show(other) } else { try show(other) }
            }
            noteGathered(views.map(\.place))
            return views.isEmpty ? .unchanged : .changed(ChangedViews(views: views, head: head))
        } catch {
            return failed(error, on: feed)
        }
    }

    /// Takes back what an action changed before it failed: it is not to be seen, by nobody and never.
    private func failed(_ error: any Error, on feed: ChangeFeed) -> Acted {
        if case SessionFailure.timedOut = error {
            // What timed out may still run, and post to the session's other view models. All are discarded, so that
            // it cannot change a live one.
            clear()
            revive(from: feed)
        } else {
            rollBack(to: feed)
        }
        return .failed(error)
    }

    private func changedView(
        at place: Int, touched: ChangedOutputs, on feed: ChangeFeed, to head: SessionHead
    ) throws -> View? {
        guard let viewModel = liveViewModel(at: place) else { return nil }
        let declaration = catalogue.viewModels[place]
        func view(_ record: ViewModelRecord) -> View { View(declaration, history: head.history, record: record) }
        guard var record = feed.view(at: place)?.record else {
            // Not shown so far, as it could not be encoded: now it may.
            guard let stored = feed.record(at: place) else {
                return view(try ViewModelRecord(of: declaration, showing: viewModel, at: head.seq))
            }
            return view(try stored.derived(by: viewModel, of: declaration, at: head.seq).record)
        }
        func outputs(_ touched: [OutputPlace]) -> some Sequence<Int> {
            touched.lazy.filter { $0.viewModel == place }.map(\.output)
        }
        var isChanged = try record.update(outputs(touched.set), from: viewModel, at: head.seq)
        for output in outputs(touched.suspects) {
            isChanged =
                (try? record.update(CollectionOfOne(output), from: viewModel, at: head.seq)) == true || isChanged
        }
        let model = try viewModel.encodedModel()
        guard isChanged || hasAnotherModel(model, at: place, than: record) else { return nil }
        (record.model, record.version) = (model, viewModel.version)
        return view(record)
    }

    /// Whether a later build derived what is shown of a view model that has not changed since this one made it of that: then
    /// it stays as it is, though this one would show it in other words.
    private func isOfLater(at place: Int, on feed: ChangeFeed) throws -> Bool {
        guard let record = feed.view(at: place)?.record, record.version > catalogue.viewModels[place].version,
            let viewModel = liveViewModel(at: place)
        else { return false }
        return try !hasAnotherModel(viewModel.encodedModel(), at: place, than: record)
    }
}
