import ViewModels

// What the live view models make of what was stored.

extension LiveViewModels {
    /// Derives what was stored by this build.
    ///
    /// What a later version derived stays as it is; a view model whose model this build cannot read is not touched.
    ///
    /// - Parameter other: what nobody has touched shows in the language of what is stored, where the feed is to speak another:
    ///   then what a later version derived is derived anew, too, until that build reads it.
    func derive(
        _ part: SessionCore.Underived, on feed: ChangeFeed, to head: SessionHead, from other: Untouched? = nil
    ) -> Derived {
        var derived = Derived()
        var records: [Int: (record: ViewModelRecord, isChanged: Bool)] = [:]
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            guard let stored = feed.record(at: place) else { continue }
            if part != .everything, let shown = feed.view(at: place)?.record {
                let isBack = isBack(place, in: feed)
                records[place] = (isBack ? shown.told(at: head.seq) : shown, isBack)
                continue
            }
            do {
                let viewModel = try viewModel(at: place, on: feed)
                let record = try running(place) {
                    try stored.derived(by: viewModel, of: declaration, at: head.seq, alsoOfLater: other != nil)
                }
                // Of one that was held back all is told: while it was, cursors moved past what others had changed of it.
                let isToTell = isBack(place, in: feed) || feed.view(at: place) == nil
                records[place] = isToTell ? (record.record.told(at: head.seq), true) : record
            } catch let error as ModelUnreadable {
                derived.failures.append((place, SessionFailure.unreadable(error)))
                tell(error)
            } catch {
                derived.failures.append((place, error))
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
            } else if feed.record(at: place) == nil, let view = news(at: place, on: feed, to: head, from: other) {
                views.append((place, view))
            }
        }
        if !views.isEmpty || isReshaped {
            derived.changes = ChangedViews(views: views, head: head)
        } else if isLeavingOut(feed) {
            // So that the build that has them again finds that they were away.
            derived.changes = ChangedViews(views: [], head: feed.head.remembering())
        }
        return derived
    }

    /// Derives everything in another language, on view models that are made anew.
    ///
    /// - Returns: always a commit, since the language is to be stored; it has no number where nothing is shown otherwise.
    func changeLanguage(to language: Language, on feed: ChangeFeed, to head: SessionHead) -> Derived {
        clear()
        let other = feed.untouched
        var feed = feed
        feed.changeLanguage(to: environment.untouched(in: language))
        var derived = derive(.everything, on: feed, to: head, from: other)
        revive(from: feed)
        derived.changes = ChangedViews(
            views: derived.changes?.views ?? [], head: derived.changes?.head ?? feed.head.remembering(),
            untouched: feed.untouched)
        return derived
    }

    /// What a view model that nobody has touched shows, where that is something else than what is stored of it: in another
    /// build or language, or where others have set a variable that is not its own.
    private func news(
        at place: Int, on feed: ChangeFeed, to head: SessionHead, from other: Untouched?
    ) -> View? {
        let untouched = feed.untouched
        let digest = untouched.initialDigests.digests[place]
        let isOfAnother =
            !feed.initialDigests.has(digest) || other.map { $0.initialDigests.digests[place] != digest } ?? false
        let isAlive = untouched.alive.contains(place)
        guard isOfAnother || isAlive, let viewModel = try? viewModel(at: place, on: feed) else { return nil }
        var record: ViewModelRecord
        do {
            record = try running(place) {
                try ViewModelRecord(of: catalogue.viewModels[place], showing: viewModel, at: head.seq)
            }
        } catch {
            tell(error)
            return nil
        }
        if !isOfAnother, record.outputs.map(\.value) == untouched.record(at: place)?.outputs.map(\.value) { return nil }
        // What is the same in both languages is no change.
        for (output, known) in (other?.record(at: place)?.outputs ?? []).enumerated()
        where known.value == record.outputs[output].value {
            record.outputs[output].seq = known.seq
        }
        return View(catalogue.viewModels[place], history: head.history, record: record)
    }

    /// Whether the build that committed last did not have a view model: whoever came then knows nothing of it.
    private func isBack(_ place: Int, in feed: ChangeFeed) -> Bool {
        let name = catalogue.viewModels[place].nameDigest
        return feed.initialDigests.shapes.contains { $0.isGone && $0.name == name }
    }

    /// Whether a view model was stored with outputs that this build does not have, or with facets of others: then what a client
    /// knows of it has members that are no more, or lacks some, and no change would tell.
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
    /// The live view models stand on what was committed before, and are discarded; but for those that change by themselves
    /// and are as they were, which would begin anew with each commit of another replica.
    ///
    /// - Parameter isBehind: whether they stand on what was not stored.
    func read(_ record: SessionRecord, after known: ChangeFeed, isBehind: Bool) -> ChangeFeed {
        var feed = ChangeFeed(untouched: environment.untouched(in: record.language), record: record)
        if isBehind || feed.untouched !== known.untouched { clear() } else { discardStale(since: known, by: feed) }
        for place in feed.catalogue.viewModels.indices {
            guard let stored = feed.record(at: place) else { continue }
            guard known.view(at: place)?.record.model != stored.model else { continue }
            do throws(ModelUnreadable) {
                // By its new model it may change by itself.
                if try !viewModel(at: place, on: feed).changesItself { drop(place) }
            } catch {
                feed.withhold(place, because: SessionFailure.unreadable(error))
                tell(error)
            }
        }
        revive(from: feed)
        return feed
    }
}
