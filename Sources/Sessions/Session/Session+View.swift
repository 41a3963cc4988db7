import ViewModels

extension Session {
    /// The committed state of one view model, or of a facet of it.
    ///
    /// - Parameters:
    ///   - place: the view model's place in the catalogue.
    ///   - facet: the facet's place in the view model's declaration; nil for the whole view model.
    /// - Throws: ``SessionFailure``.
    public func view(at place: Int, facet: Int? = nil) async throws -> View {
        // Others may move the session on between two looks.
        for _ in 0...surroundings.limits.replays {
            if let view = try viewAtHand(at: place, facet: facet) { return view }
            try await makeViews(at: [place])
            if let view = try shownView(at: place, facet: facet) { return view }
        }
        throw SessionFailure.unavailable
    }

    /// The same without waiting; nil where the view model has to be made first, or the store to be looked at.
    ///
    /// - Throws: ``SessionFailure/ended``.
    public func viewAtHand(at place: Int, facet: Int? = nil) throws -> View? {
        surroundings.store.isShared ? nil : try shownView(at: place, facet: facet)
    }

    private func shownView(at place: Int, facet: Int?) throws -> View? {
        let (view, history) = try state.withLock { (try $0.core.view(at: place), $0.core.feed.head.history) }
        guard let facet, let view else { return view }
        let declaration = surroundings.catalogue.viewModels[place]
        return view.narrowed(to: declaration.facets[facet], of: declaration, history: history)
    }

    /// The committed state of every view model, in the order of the catalogue, as one moment shows it.
    ///
    /// - Throws: ``SessionFailure``.
    public func views() async throws -> (cursor: Cursor, views: [View]) {
        let everything = FeedQuery()
        // Others may move the session on between two looks.
        for _ in 0...surroundings.limits.replays {
            try await makeViews(at: state.withLock { $0.core.feed.untouched(by: everything) })
            let feed = try state.withLock { state in
                try state.core.check(everything)
                return state.core.feed
            }
            let views = surroundings.catalogue.viewModels.indices.compactMap(feed.view(at:))
            if views.count == surroundings.catalogue.viewModels.count { return (feed.cursor, views) }
        }
        throw SessionFailure.unavailable
    }

    /// Makes view models that nobody has touched yet, to see what they show; and reads the session again where it may be
    /// behind the store, so that no reader is kept from what was stored until someone acts.
    func makeViews(at places: [Int]) async throws {
        guard !places.isEmpty || state.withLock({ $0.core.isBehind || !$0.core.isDerived || $0.core.isShared }) else {
            return
        }
        try await ask { .show(places, $0) }
    }
}
