import ViewModels

extension Session {
    /// The committed state of one view model, or of a facet of it.
    ///
    /// - Parameters:
    ///   - place: the view model's place in the catalogue.
    ///   - facet: the facet's place in the view model's declaration; nil for the whole view model.
    /// - Throws: ``SessionFailure``.
    public func view(at place: Int, facet: Int? = nil) async throws -> View {
        if let view = try committedView(at: place, facet: facet) { return view }
        try await makeViews(at: [place])
        guard let view = try committedView(at: place, facet: facet) else { throw SessionFailure.unavailable }
        return view
    }

    /// The same without waiting; nil where the view model has to be made first.
    ///
    /// - Throws: ``SessionFailure/ended``.
    public func viewAtHand(at place: Int, facet: Int? = nil) throws -> View? {
        try committedView(at: place, facet: facet)
    }

    /// The committed state of every view model, in the order of the catalogue, as one moment shows it.
    ///
    /// - Throws: ``SessionFailure``.
    public func views() async throws -> (cursor: Cursor, views: [View]) {
        let everything = FeedQuery()
        try await makeViews(at: state.withLock { $0.feed.untouched(by: everything) })
        return try state.withLock { state in
            try state.check()
            try state.check(everything)
            return (state.feed.cursor, surroundings.catalogue.viewModels.indices.compactMap(state.feed.view(at:)))
        }
    }

    private func committedView(at place: Int, facet: Int?) throws -> View? {
        let (view, history) = try state.withLock { state in
            try state.check()
            if !state.isBehind, let refusal = state.feed.refusal(at: place) { throw SessionFailure.unreadable(refusal) }
            return (state.isBehind ? nil : state.feed.view(at: place), state.feed.head.history)
        }
        guard let facet, let view else { return view }
        let declaration = surroundings.catalogue.viewModels[place]
        return view.narrowed(to: declaration.facets[facet], of: declaration, history: history)
    }

    /// Makes view models that nobody has touched yet, to see what they show; and reads the session again where it may be
    /// behind the store, so that no reader is kept from what was stored until someone acts.
    func makeViews(at places: [Int]) async throws {
        guard !places.isEmpty || state.withLock({ $0.isBehind }) else { return }
        try await turnstile.withTurn { stage in
            try await freshen(stage)
            for place in places { _ = try makeView(at: place, on: stage) }
        }
    }

    /// Reads the session again, whether it may be behind the store or not.
    func reread() async throws {
        try await turnstile.withTurn { stage in try await freshen(stage, evenIfCurrent: true) }
    }

    /// What a view model shows as it was submitted last; made on the stage where it was never touched.
    func makeView(at place: Int, on stage: Stage) throws -> View {
        let feed = latestFeed(on: stage)
        if let refusal = feed.refusal(at: place) { throw SessionFailure.unreadable(refusal) }
        if let known = feed.view(at: place) { return known }
        let view =
            try feed.record(at: place).map { try completedView(of: $0, at: place, in: feed, on: stage) }
            ?? initialView(at: place, history: feed.head.history, on: stage)
        state.withLock { $0.feed.show(view, at: place) }
        stage.ahead?.show(view, at: place)
        return view
    }

    /// The live view model at a place, made from what was stored of it where it is not there yet.
    ///
    /// - Throws: ``SessionFailure/unreadable(_:)``; from then on the view model is not shown either.
    func viewModel(at place: Int, from record: ViewModelRecord?, on stage: Stage) throws -> any HostedViewModel {
        do throws(ModelUnreadable) {
            return try stage.viewModel(at: place, from: record)
        } catch {
            state.withLock { $0.feed.refuse(place, because: error) }
            stage.ahead?.refuse(place, because: error)
            throw SessionFailure.unreadable(error)
        }
    }

    /// What was stored without an output of this build, with that output.
    func completedView(
        of stored: ViewModelRecord, at place: Int, in feed: ChangeFeed, on stage: Stage
    ) throws -> View {
        let declaration = surroundings.catalogue.viewModels[place]
        let viewModel = try viewModel(at: place, from: stored, on: stage)
        let (record, _) = try stored.derived(by: viewModel, of: declaration, at: feed.head.seq)
        return View(declaration, history: feed.head.history, record: record)
    }

    /// What a view model shows before anybody has acted on it.
    ///
    /// - Parameter seq: the commit that brings it; 0 for what was there from the beginning.
    func initialView(
        at place: Int, history: SessionHistory, on stage: Stage, from seq: UInt64 = 0
    ) throws -> View {
        let declaration = surroundings.catalogue.viewModels[place]
        let viewModel = try stage.viewModel(at: place, from: nil)
        let outputs = try declaration.outputNames.enumerated().map { index, name in
            OutputRecord(name: name.rawValue, value: try viewModel.encodedOutput(at: index), seq: seq)
        }
        let record = ViewModelRecord(
            name: declaration.name.rawValue, version: viewModel.version, model: try viewModel.encodedModel(),
            outputs: outputs)
        return View(declaration, history: history, record: record)
    }
}
