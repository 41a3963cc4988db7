import ViewModels

// What the live view models are asked for. Nothing here knows what is on its way or who waits.

extension LiveViewModels {
    /// Makes view models that nobody has touched yet, or that were stored without an output of this build.
    func make(_ places: [Int], on feed: ChangeFeed) -> [(place: Int, Made)] {
        places.map { ($0, made(at: $0, on: feed)) }
    }

    private func made(at place: Int, on feed: ChangeFeed) -> Made {
        if let refusal = feed.refusal(at: place) { return .unreadable(refusal) }
        do {
            if let stored = feed.record(at: place) { return .view(try completedView(of: stored, at: place, in: feed)) }
            let view = try initialView(at: place, history: feed.head.history)
            return isAsStored(view, at: place, in: feed) ? .view(view) : .changed
        } catch let error as ModelUnreadable {
            return .unreadable(error)
        } catch {
            return .failed(error)
        }
    }

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
            let touched = changedOutputs(actedOn: place, heardBy: listeners)
            var views: [(place: Int, view: View)] = []
            func show(_ place: Int) throws {
                let view = try changedView(at: place, touched: touched, on: feed, to: head)
                if let view { views.append((place, view)) }
            }
            try show(place)
            var others = listeners
            if touched.contains(where: { $0.viewModel != place }) {
                others = Set(touched.map(\.viewModel)).union(listeners).subtracting([place]).sorted()
            }
            others = try others.filter { try !isOfLater(at: $0, on: feed) }
            for other in others { try show(other) }
            noteGathered(place, others)
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

    /// Derives what was stored by this build.
    ///
    /// What a later version derived stays as it is; a view model whose model this build cannot read is not touched.
    func derive(_ untouched: Untouched, on feed: ChangeFeed, to head: SessionHead) -> Derived {
        var derived = Derived()
        var records: [Int: (record: ViewModelRecord, isChanged: Bool)] = [:]
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            guard let stored = feed.record(at: place) else { continue }
            do throws(ModelUnreadable) {
                let viewModel = try viewModel(at: place, from: stored)
                // One whose outputs cannot be encoded shows what was stored, where that is whole; the others are derived.
                records[place] =
                    (try? stored.derived(by: viewModel, of: declaration, at: head.seq))
                    ?? feed.view(at: place).map { ($0.record, false) }
            } catch {
                derived.unreadable.append((place, error))
                tell(error)
            }
        }
        let isReshaped = isReshaped(feed, derived: Set(records.keys))
        let head = isReshaped ? head.inNewHistory() : head
        var views: [(place: Int, view: View)] = []
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            if let (record, isChanged) = records[place] {
                guard isChanged || isReshaped else { continue }
                views.append((place, View(declaration, history: head.history, record: record)))
            } else if feed.record(at: place) == nil, let view = news(of: untouched, at: place, on: feed, to: head) {
                views.append((place, view))
            }
        }
        if !views.isEmpty || isReshaped {
            derived.changes = ChangedViews(views: views, head: head)
        } else if isLeavingOut(feed) {
            // So that the build that has them again finds that they were away.
            derived.changes = ChangedViews(views: [], head: feed.head.remembering())
        }
        // Those with a model are alive by now.
        let missing = untouched.selfChanging.filter { place in
            feed.record(at: place) == nil && !views.contains { $0.place == place }
        }
        derived.made = make(missing, on: feed)
        return derived
    }

    /// What a view model that nobody has touched shows, where that is something else than what is stored of it.
    ///
    /// The live one is asked, which may show what others have set; one that is not shows what its build does.
    private func news(of untouched: Untouched, at place: Int, on feed: ChangeFeed, to head: SessionHead) -> View? {
        let isLive = liveViewModel(at: place) != nil
        if !isLive, feed.initialDigests.has(untouched.initialDigests.digests[place]) { return nil }
        guard let view = try? initialView(at: place, history: head.history, from: head.seq) else { return nil }
        return isLive && isAsStored(view, at: place, in: feed) ? nil : view
    }

    private func isAsStored(_ view: View, at place: Int, in feed: ChangeFeed) -> Bool {
        feed.initialDigests.has(catalogue.viewModels[place].initialDigest(of: view.json))
    }

    /// Whether a view model was stored with outputs that this build does not have, or with facets of others, or was not there
    /// for a while: then what a client knows of it has members that are no more, or lacks some, and no change would tell.
    ///
    /// One that is gone as a whole is not told of: where an older build runs beside a newer one, each would begin a history
    /// for what the other did.
    ///
    /// - Parameter derived: the places of those that this build shows, derived anew or as they are stored.
    private func isReshaped(_ feed: ChangeFeed, derived: Set<Int>) -> Bool {
        let shapes = feed.initialDigests.shapes
        guard !shapes.isEmpty else { return false }
        return feed.catalogue.viewModels.enumerated().contains { place, declaration in
            let stored = feed.record(at: place)
            guard let known = shapes.first(where: { $0.name == declaration.nameDigest }) else {
                // New, and told of as a change; or back again after so long that it is forgotten.
                return derived.contains(place)
            }
            if known.isGone, derived.contains(place) { return true }
            guard stored == nil || derived.contains(place) else { return false }
            // What a later version derived stays as it is, where that build may run beside this one.
            guard known.version <= declaration.version || !environment.store.isShared else { return false }
            // An output more is told of as a change.
            return known.digest != declaration.shape(of: stored.map { Set($0.outputs.map(\.name)) })
        }
    }

    /// Whether this build has not all the view models of the one that committed last, and is alone with the store.
    private func isLeavingOut(_ feed: ChangeFeed) -> Bool {
        guard !environment.store.isShared else { return false }
        let names = Set(feed.catalogue.viewModels.map(\.nameDigest))
        return feed.initialDigests.shapes.contains { !$0.isGone && !names.contains($0.name) }
    }

    /// Makes a feed of a record that was read.
    ///
    /// Views of view models that no action has changed are in no record: they are taken over from the feed known before, so
    /// that a reader does not find them missing. The live view models stand on what was committed before, and are discarded.
    func read(_ record: SessionRecord, after known: ChangeFeed) -> ChangeFeed {
        clear()
        var feed = ChangeFeed(catalogue: known.catalogue, record: record)
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            guard let stored = feed.record(at: place) else { continue }
            let isKnown = known.view(at: place)?.record.model == stored.model
            do throws(ModelUnreadable) {
                if !isKnown { _ = try declaration.read(stored.model, storedBy: stored.version) }
            } catch {
                feed.refuse(place, because: error)
                tell(error)
            }
        }
        // A view with a number but without a record came from a commit that the store has lost, and is made anew on demand. So
        // are all, where the history was interrupted or another build's digests were read.
        let isSame = known.head.history.cursor(at: 0) == record.head.history.cursor(at: 0)
        let isOurs = isSame && !record.head.history.isInterrupted && record.initialDigests == known.initialDigests
        for place in feed.catalogue.viewModels.indices where isOurs {
            guard feed.record(at: place) == nil, let view = known.view(at: place), view.lastChange == 0 else {
                continue
            }
            feed.show(view, at: place)
        }
        revive(from: feed)
        return feed
    }

    private func changedView(
        at place: Int, touched: [OutputPlace], on feed: ChangeFeed, to head: SessionHead
    ) throws -> View? {
        guard let viewModel = liveViewModel(at: place) else { return nil }
        guard let submitted = feed.view(at: place) else {
            // Alive, and never shown: what another has just changed in it is all that there is.
            return feed.record(at: place) == nil
                ? try initialView(at: place, history: head.history, from: head.seq) : nil
        }
        var record = submitted.record
        let outputs = touched.lazy.filter { $0.viewModel == place }.map(\.output)
        let isChanged = try record.update(outputs, from: viewModel, at: head.seq)
        let model = try viewModel.encodedModel()
        guard isChanged || model != record.model else { return nil }
        (record.model, record.version) = (model, viewModel.version)
        return View(feed.catalogue.viewModels[place], history: head.history, record: record)
    }

    /// Whether a later build derived what is shown of a view model that has not changed since this one made it of that: then
    /// it stays as it is, though this one would show it in other words.
    private func isOfLater(at place: Int, on feed: ChangeFeed) throws -> Bool {
        guard let record = feed.view(at: place)?.record, record.version > catalogue.viewModels[place].version,
            let viewModel = liveViewModel(at: place)
        else { return false }
        return try viewModel.encodedModel() == modelOfMaking(at: place) ?? record.model
    }

    /// What was stored without an output of this build, with that output.
    private func completedView(of stored: ViewModelRecord, at place: Int, in feed: ChangeFeed) throws -> View {
        let declaration = feed.catalogue.viewModels[place]
        let viewModel = try viewModel(at: place, from: stored)
        let (record, _) = try stored.derived(by: viewModel, of: declaration, at: feed.head.seq)
        return View(declaration, history: feed.head.history, record: record)
    }

    /// What a view model shows before anybody has acted on it.
    ///
    /// - Parameter seq: the commit that brings it; 0 for what was there from the beginning.
    private func initialView(at place: Int, history: SessionHistory, from seq: UInt64 = 0) throws -> View {
        let declaration = catalogue.viewModels[place]
        let viewModel = try viewModel(at: place, from: nil)
        let outputs = try declaration.outputNames.enumerated().map { index, name in
            OutputRecord(
                name: name.rawValue,
                value: try viewModel.shown(at: index, as: name.rawValue, of: declaration.name.rawValue), seq: seq)
        }
        let record = ViewModelRecord(
            name: declaration.name.rawValue, version: viewModel.version, model: try viewModel.encodedModel(),
            outputs: outputs)
        return View(declaration, history: history, record: record)
    }
}

extension ViewModelRecord {
    /// Takes over what a view model shows now, of the outputs at some places.
    ///
    /// - Parameter seq: the commit that brings what is new.
    /// - Returns: whether anything is.
    /// - Throws: ``OutputUnshowable``; what was compared before it is taken over.
    mutating func update(
        _ places: some Sequence<Int>, from viewModel: any HostedViewModel, at seq: UInt64
    ) throws -> Bool {
        var isChanged = false
        for place in places {
            let value = try viewModel.shown(at: place, as: outputs[place].name, of: self.name)
            guard value != outputs[place].value else { continue }
            outputs[place].value = value
            outputs[place].seq = seq
            isChanged = true
        }
        return isChanged
    }

    /// Takes over all that a view model shows now that was made from this record.
    ///
    /// What a later version derived stays as it is; only what it did not derive is added.
    ///
    /// - Parameter seq: the commit that brings what is new.
    /// - Returns: the record as it is to be shown, and whether anything in it is new.
    /// - Throws: ``OutputUnshowable``.
    func derived(
        by viewModel: any HostedViewModel, of declaration: Declaration, at seq: UInt64
    ) throws -> (record: ViewModelRecord, isChanged: Bool) {
        let isLater = version > declaration.version
        let names = declaration.outputNames.map(\.rawValue)
        var isChanged = false
        let derived = try names.enumerated().map { place, name in
            let stored = outputs.first { $0.name == name }
            if isLater, let stored { return stored }
            let value = try viewModel.shown(at: place, as: name, of: declaration.name.rawValue)
            if let stored, stored.value == value { return stored }
            isChanged = true
            return OutputRecord(name: name, value: value, seq: seq)
        }
        var record = self
        record.outputs = derived + outputs.filter { !names.contains($0.name) }
        // Model text and version are stored together.
        if isChanged { (record.model, record.version) = (try viewModel.encodedModel(), viewModel.version) }
        return (record, isChanged)
    }
}

extension HostedViewModel {
    /// The value of an output.
    ///
    /// - Throws: ``OutputUnshowable``.
    fileprivate func shown(at place: Int, as output: String, of viewModel: String) throws -> [UInt8] {
        do { return try encodedOutput(at: place) } catch {
            throw OutputUnshowable(viewModel: viewModel, output: output, reason: String(reflecting: type(of: error)))
        }
    }
}
