import ViewModels

extension Session {
    /// The session as it will be when all that was submitted is stored.
    func latestFeed(on stage: Stage) -> ChangeFeed { stage.ahead ?? state.withLock { $0.feed } }

    /// Compares what the live view models show with what was submitted last.
    ///
    /// - Parameter request: what to remember with it, and how.
    /// - Returns: nil where nothing changed.
    func draft(on stage: Stage, actedOn place: Int, once request: IdempotentRequest? = nil) throws -> Draft? {
        do {
            let touched = stage.changedOutputs(actedOn: place)
            let feed = latestFeed(on: stage)
            let head = feed.head.advanced(in: surroundings.store.incarnation)
            var views: [(place: Int, view: View)] = []
            func show(_ place: Int) throws {
                let view = try changedView(at: place, touched: touched, on: stage, feed: feed, head: head)
                if let view { views.append((place, view)) }
            }
            try show(place)
            if touched.contains(where: { $0.viewModel != place }) {
                for other in Set(touched.map(\.viewModel)).subtracting([place]).sorted() { try show(other) }
            }
            guard !views.isEmpty else { return nil }
            let outcome = request.flatMap { request in
                (views.first { $0.place == place }?.view ?? feed.view(at: place)).map {
                    self.outcome(of: request, .done($0))
                }
            }
            let commit = commit(
                from: feed, to: head, viewModels: views.map(\.view.record), outcome: outcome)
            return Draft(commit: commit, views: views)
        } catch {
            stage.rollBack(to: latestFeed(on: stage))
            throw error
        }
    }

    /// A step of this session.
    func commit(
        from feed: ChangeFeed, to head: SessionHead, viewModels: [ViewModelRecord] = [],
        outcome: RememberedOutcome? = nil
    ) -> Commit {
        Commit(
            id: id, base: feed.head.version, head: head, language: language, end: surroundings.end(of: id),
            beginnings: untouched.beginnings == feed.beginnings ? nil : untouched.beginnings, viewModels: viewModels,
            outcome: outcome)
    }

    private func changedView(
        at place: Int, touched: [Stage.OutputPlace], on stage: Stage, feed: ChangeFeed, head: SessionHead
    ) throws -> View? {
        guard let viewModel = stage.liveViewModel(at: place), let submitted = feed.view(at: place) else { return nil }
        var record = submitted.record
        let outputs = touched.lazy.filter { $0.viewModel == place }.map(\.output)
        let isChanged = try record.update(outputs, from: viewModel, at: head.seq)
        let model = try viewModel.encodedModel()
        guard isChanged || model != record.model else { return nil }
        (record.model, record.version) = (model, viewModel.version)
        return View(feed.catalogue.viewModels[place], history: head.history, record: record)
    }
}
