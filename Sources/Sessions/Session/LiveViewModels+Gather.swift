import ViewModels

// What the live view models have changed. Nothing here knows what is on its way or who waits.

extension LiveViewModels {
    /// Gathers what changed, after an action or a change from inside that may have failed.
    func gather(
        actedOn place: Int, after result: Result<Void, any Error>, on feed: ChangeFeed, to head: SessionHead
    ) -> Acted {
        switch result {
        case .success: gather(actedOn: place, on: feed, to: head)
        // It did not begin.
        case .failure(SessionFailure.busy): .notBegun(SessionFailure.busy)
        case .failure(let error): failed(error, actedOn: place, on: feed)
        }
    }

    /// Gathers what changed, after an action or a change from inside.
    ///
    /// - Parameters:
    ///   - place: where the view model stands that acted.
    ///   - feed: what was submitted before.
    ///   - head: the commit that brings what changed.
    private func gather(actedOn place: Int, on feed: ChangeFeed, to head: SessionHead) -> Acted {
        do {
            let listeners = listeners(beside: place)
            var touched = changedOutputs(of: ([place] + listeners).filter { !isOfLater(at: $0, on: feed) })
            var views: [(place: Int, view: View)] = []
            if let view = try running(
                place, { try actedView(at: place, touched: &touched, on: feed, to: head) })
            {
                views.append((place, view))
            }
            var others = listeners
            let viewModels = touched.viewModels(beside: place)
            if !viewModels.isEmpty { others = viewModels.union(listeners).sorted() }
            for other in others {
                let view = running(other) { otherView(at: other, touched: &touched, on: feed, to: head) }
                if let view { views.append((other, view)) }
            }
            noteGathered(views.map(\.place), unshowable: touched.unshowable)
            return views.isEmpty ? .unchanged : .changed(ChangedViews(views: views, head: head))
        } catch {
            // Of a change from inside nobody else may hear.
            tell(error)
            return failed(error, actedOn: place, on: feed)
        }
    }

    /// Takes back what an action changed before it failed: it is not to be seen, by nobody and never.
    private func failed(_ error: any Error, actedOn place: Int, on feed: ChangeFeed) -> Acted {
        if case SessionFailure.timedOut = error {
            // What timed out may still run, and post to the session's other view models. All are discarded, so that
            // it cannot change a live one.
            clear()
        } else {
            rollBack(to: feed, actedOn: place)
        }
        return .failed(error)
    }

    /// What the view model shows that acted, where that is new: what it set has to be encoded, or the action has failed.
    private func actedView(
        at place: Int, touched: inout ChangedOutputs, on feed: ChangeFeed, to head: SessionHead
    ) throws -> View? {
        guard let viewModel = liveViewModel(at: place) else { return nil }
        guard var record = feed.view(at: place)?.record else {
            return try firstView(of: viewModel, at: place, on: feed, to: head)
        }
        let set = touched.set.lazy.filter { $0.viewModel == place }.map(\.output)
        var isChanged = try record.update(set, from: viewModel, at: head.seq)
        isChanged = update(&record, touched.suspects, &touched, from: viewModel, at: place, head.seq) || isChanged
        return try view(of: viewModel, at: place, record, isChanged, to: head)
    }

    /// What another view model shows, where that is new.
    ///
    /// What of it cannot be encoded fails nobody else's action: it stays as it was, and is told of when it can be.
    private func otherView(
        at place: Int, touched: inout ChangedOutputs, on feed: ChangeFeed, to head: SessionHead
    ) -> View? {
        guard let viewModel = liveViewModel(at: place) else { return nil }
        do {
            guard var record = feed.view(at: place)?.record else {
                return try firstView(of: viewModel, at: place, on: feed, to: head)
            }
            var isChanged = false
            for outputs in [touched.set, touched.suspects] {
                isChanged =
                    update(&record, outputs, &touched, from: viewModel, at: place, head.seq) || isChanged
            }
            return try view(of: viewModel, at: place, record, isChanged, to: head)
        } catch {
            touched.unshowable += (touched.set + touched.suspects).filter { $0.viewModel == place }
            tell(error)
            return nil
        }
    }

    /// Takes over what can be encoded of a view model's among some outputs, and notes the rest.
    private func update(
        _ record: inout ViewModelRecord, _ outputs: [OutputPlace], _ touched: inout ChangedOutputs,
        from viewModel: any HostedViewModel, at place: Int, _ seq: UInt64
    ) -> Bool {
        var isChanged = false
        for output in outputs where output.viewModel == place {
            do {
                isChanged = try record.update(CollectionOfOne(output.output), from: viewModel, at: seq) || isChanged
            } catch {
                touched.unshowable.append(output)
                tell(error)
            }
        }
        return isChanged
    }

    /// What a view model shows that was not shown so far, as it could not be encoded: now it may.
    private func firstView(
        of viewModel: any HostedViewModel, at place: Int, on feed: ChangeFeed, to head: SessionHead
    ) throws -> View {
        let declaration = catalogue.viewModels[place]
        let record =
            if let stored = feed.record(at: place) {
                try stored.derived(by: viewModel, of: declaration, at: head.seq).record.told(at: head.seq)
            } else {
                try ViewModelRecord(of: declaration, showing: viewModel, at: head.seq)
            }
        return View(declaration, history: head.history, record: record)
    }

    private func view(
        of viewModel: any HostedViewModel, at place: Int, _ record: ViewModelRecord, _ isChanged: Bool,
        to head: SessionHead
    ) throws -> View? {
        let model = try viewModel.storedModel(of: record.name)
        guard isChanged || hasAnotherModel(model, at: place, than: record) else { return nil }
        var record = record
        (record.model, record.version) = (model, viewModel.version)
        return View(catalogue.viewModels[place], history: head.history, record: record)
    }

    /// Whether a later build derived what is shown of a view model that has not changed since this one made it of that: then
    /// it stays as it is, though this one would show it in other words.
    private func isOfLater(at place: Int, on feed: ChangeFeed) -> Bool {
        guard let record = feed.view(at: place)?.record, record.version > catalogue.viewModels[place].version,
            let model = running(place, { try? liveViewModel(at: place)?.encodedModel() })
        else { return false }
        return !hasAnotherModel(model, at: place, than: record)
    }
}
