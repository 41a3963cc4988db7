import ViewModels

/// A session's committed state and what changed in it when: for each output its latest value and the commit at which
/// it last changed, not an ever-growing log.
///
/// A consumer that keeps up sees every commit; one that lags gets the latest value of each changed output. Its size
/// depends on the number of outputs alone, so no cursor of this history is ever too old.
///
/// A value without locks: the session guards it.
struct ChangeFeed: Sendable {
    private struct Contents: Sendable {
        var untouched: Untouched
        var language: Language
        var head: SessionHead
        var initialDigests: InitialDigests
        /// What was touched or looked at so far, by place in the catalogue; empty until anything was.
        var views: [View?] = []
        /// What was stored of view models and is not to be shown yet, as this build declares more outputs.
        var heldBack: [Int: ViewModelRecord] = [:]
        /// Why view models are not shown at all.
        var failures: [Int: any Error] = [:]

        mutating func show(_ view: View, at place: Int) {
            if views.isEmpty { views = Array(repeating: nil, count: untouched.catalogue.viewModels.count) }
            views[place] = view
            if !heldBack.isEmpty { heldBack[place] = nil }
            if !failures.isEmpty { failures[place] = nil }
        }

        mutating func changeLanguage(to untouched: Untouched) {
            self.untouched = untouched
            language = untouched.language
            for place in views.indices where views[place]?.isUntouched == true { views[place] = nil }
            // By what nobody has touched it is found anew whether that can be shown.
            failures = failures.filter { heldBack[$0.key] != nil }
        }

        /// Gives what is shown the cursors of a history that is new.
        mutating func nameViews() {
            for place in views.indices { views[place] = views[place]?.named(by: head.history) }
        }
    }

    /// Of one element: a feed is passed on many times for each action, and one reference costs less than the six in it.
    private var contents: [Contents]

    /// - Parameter language: the session's, where that is not one of those that are spoken.
    init(
        untouched: Untouched, language: Language? = nil, head: SessionHead,
        initialDigests: InitialDigests = InitialDigests()
    ) {
        contents = [
            Contents(
                untouched: untouched, language: language ?? untouched.language, head: head,
                initialDigests: initialDigests)
        ]
    }

    /// What is shown of view models that nobody has touched: in the language that is spoken to the session.
    var untouched: Untouched { contents[0].untouched }
    /// The session's language, as it is stored: perhaps one that an earlier build spoke.
    var language: Language { contents[0].language }
    var catalogue: Catalogue { contents[0].untouched.catalogue }
    var head: SessionHead { contents[0].head }
    /// What the store knows of what untouched view models show.
    var initialDigests: InitialDigests { contents[0].initialDigests }
    private var views: [View?] { contents[0].views }
    private var heldBack: [Int: ViewModelRecord] { contents[0].heldBack }
    private var failures: [Int: any Error] { contents[0].failures }

    var cursor: Cursor { head.cursor }

    /// What is shown of a view model; nil where it cannot be, or not yet.
    func view(at place: Int) -> View? {
        if let view = knownView(at: place) { return view }
        return isUntouched(place) ? try? untouched.view(at: place, in: head.history) : nil
    }

    /// The same, kept for whoever looks next.
    mutating func keptView(at place: Int) -> View? {
        if let view = knownView(at: place) { return view }
        let view = view(at: place)
        if let view { show(view, at: place) }
        return view
    }

    private func knownView(at place: Int) -> View? { views.isEmpty ? nil : views[place] }

    /// Whether nothing is stored of a view model, and nothing keeps it from being shown as it is in this build.
    private func isUntouched(_ place: Int) -> Bool { heldBack[place] == nil && failures[place] == nil }

    /// What was stored of a view model; nil for one that nobody has touched.
    func record(at place: Int) -> ViewModelRecord? {
        guard let view = knownView(at: place) else { return heldBack[place] }
        return view.isUntouched ? nil : view.record
    }

    /// Whether something was stored that this build has to derive before it can be shown.
    var lacksOutputs: Bool { heldBack.keys.contains { failures[$0] == nil } }

    /// Whether something is not shown because it could not be encoded, and may be by now.
    var hasUnshowable: Bool {
        failures.values.contains { $0 is OutputUnshowable }
            || untouched.unshowable.contains { knownView(at: $0) == nil && heldBack[$0] == nil }
    }

    /// The view models that were stored and are not shown, by the digests of their names.
    ///
    /// - Parameter changes: what a commit is about to show.
    func withheld(after changes: borrowing ChangedViews) -> Set<UInt32> {
        guard !heldBack.isEmpty else { return [] }
        let places = Set(heldBack.keys).subtracting(changes.views.map(\.place))
        return Set(places.map { catalogue.viewModels[$0].nameDigest })
    }

    /// Why a view model is not shown, ``SessionFailure/unreadable(_:)`` or ``OutputUnshowable``; nil where it is, or will be.
    func failure(at place: Int) -> (any Error)? {
        if let failure = failures[place] { return failure }
        guard knownView(at: place) == nil, heldBack[place] == nil else { return nil }
        do { _ = try untouched.view(at: place, in: head.history) } catch { return error }
        return nil
    }

    /// Why a query cannot be answered: the first that it would show of those that cannot be.
    ///
    /// A view model that cannot be encoded is missed in a snapshot alone: a delta leaves it out, and all of it is told when it
    /// can be.
    func failure(of query: FeedQuery) -> (any Error)? {
        let isWhole = snapshotReason(for: query) != nil
        guard isWhole || !failures.isEmpty else { return nil }
        for place in catalogue.viewModels.indices where outputs(of: place).contains(where: query.wants) {
            guard let failure = failure(at: place), isWhole || failure is SessionFailure else { continue }
            return failure
        }
        return nil
    }

    /// Shows a view model that was just made or just committed.
    mutating func show(_ view: View, at place: Int) {
        contents[0].show(view, at: place)
    }

    /// Keeps what was stored of a view model until it can be shown.
    mutating func holdBack(_ record: ViewModelRecord, at place: Int) { contents[0].heldBack[place] = record }

    /// Shows a view model no more.
    mutating func withhold(_ place: Int, because error: any Error) {
        if let record = record(at: place) { contents[0].heldBack[place] = record }
        if !views.isEmpty { contents[0].views[place] = nil }
        contents[0].failures[place] = error
    }

    /// Shows what nobody has touched in another language; the rest follows as it is derived in that.
    mutating func changeLanguage(to untouched: Untouched) { contents[0].changeLanguage(to: untouched) }

    /// Moves on to a commit.
    mutating func advance(to head: SessionHead, knowing initialDigests: InitialDigests? = nil) {
        let isNamedAnew = contents[0].head.history.chapters[0] != head.history.chapters[0]
        contents[0].head = head
        if isNamedAnew { contents[0].nameViews() }
        if let initialDigests { contents[0].initialDigests = initialDigests }
    }

    /// Why a consumer needs a snapshot, or nil where its cursor can be served with what changed.
    func snapshotReason(for query: FeedQuery) -> FeedAnswer.SnapshotReason? {
        guard let since = query.since else { return .initial }
        return head.history.doubt(of: since, latest: head.seq)
    }

    /// The answer to give at once, or nil where there is nothing newer than the query's cursor.
    func answer(to query: FeedQuery) -> FeedAnswer? {
        if let reason = snapshotReason(for: query) {
            return FeedAnswer(
                .snapshot(reason), at: cursor, entries: entries(for: query), includesValues: query.includesValues)
        }
        guard let since = query.since, hasNews(for: query, since: since.seq) else { return nil }
        return FeedAnswer(
            .delta, at: cursor, entries: entries(for: query, since: since.seq), includesValues: query.includesValues)
    }

    private func hasNews(for query: FeedQuery, since seq: UInt64) -> Bool {
        guard seq < head.seq else { return false }
        return views.indices.contains { place in
            guard let view = views[place], view.lastChange > seq else { return false }
            return zip(outputs(of: place), view.record.outputs).contains { $1.seq > seq && query.wants($0) }
        }
    }

    /// - Parameter seq: the commit after which they changed; nil for all, those that nobody has touched among them.
    private func entries(for query: FeedQuery, since seq: UInt64? = nil) -> [FeedEntry] {
        var entries: [FeedEntry] = []
        for (place, declaration) in catalogue.viewModels.enumerated() {
            guard let view = seq == nil ? view(at: place) : knownView(at: place) else { continue }
            for (index, output) in outputs(of: place).enumerated() where query.wants(output) {
                let latest = view.record.outputs[index]
                if let seq, latest.seq <= seq { continue }
                let name = declaration.outputNames[index]
                entries.append(
                    FeedEntry(seq: latest.seq, viewModel: declaration.name, output: name, value: latest.value))
            }
        }
        // Within one commit the outputs stay in declared order.
        return entries.enumerated()
            .sorted { ($0.element.seq, $0.offset) < ($1.element.seq, $1.offset) }
            .map(\.element)
    }

    private func outputs(of place: Int) -> Range<Int> {
        let first = catalogue.firstOutputs[place]
        return first..<(first + catalogue.viewModels[place].outputs.count)
    }
}

extension ChangeFeed {
    /// The feed of a session as it was stored.
    ///
    /// A view model that was stored without an output which this build declares is held back until that output was derived:
    /// nothing stands in for it.
    init(untouched: Untouched, record: SessionRecord) {
        self.init(
            untouched: untouched, language: record.language, head: record.head, initialDigests: record.initialDigests)
        for (place, declaration) in catalogue.viewModels.enumerated() {
            guard let stored = record.viewModels[declaration.name.rawValue] else { continue }
            if let whole = stored.ordered(by: declaration) {
                show(View(declaration, history: record.head.history, record: whole), at: place)
            } else {
                holdBack(stored, at: place)
            }
        }
    }
}

extension ViewModelRecord {
    /// The same with the outputs in the order of a declaration, and behind them those that it does not have, which are
    /// another build's; nil where one is missing that it has.
    fileprivate func ordered(by declaration: Declaration) -> ViewModelRecord? {
        let names = declaration.outputNames.map(\.rawValue)
        let declared = names.compactMap { name in outputs.first { $0.name == name } }
        guard declared.count == names.count else { return nil }
        var whole = self
        whole.outputs = declared + outputs.filter { !names.contains($0.name) }
        return whole
    }
}
