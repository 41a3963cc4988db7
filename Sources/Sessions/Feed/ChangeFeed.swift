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
        let catalogue: Catalogue
        var head: SessionHead
        var initialDigests: InitialDigests
        /// What was touched so far, by place in the catalogue; empty until anything was.
        var views: [View?] = []
        /// What was stored of view models and is not to be shown yet, as this build declares more outputs.
        var heldBack: [Int: ViewModelRecord] = [:]
        /// Why view models are not shown at all.
        var unreadable: [Int: ModelUnreadable] = [:]

        mutating func show(_ view: View, at place: Int) {
            if views.isEmpty { views = Array(repeating: nil, count: catalogue.viewModels.count) }
            views[place] = view
            if !heldBack.isEmpty { heldBack[place] = nil }
            if !unreadable.isEmpty { unreadable[place] = nil }
        }

        /// Gives what is shown the cursors of a history that is new.
        mutating func nameViews() {
            for place in views.indices {
                views[place] = views[place]?.named(by: head.history, of: catalogue.viewModels[place])
            }
        }
    }

    /// Of one element: a feed is passed on many times for each action, and one reference costs less than the six in it.
    private var contents: [Contents]

    init(catalogue: Catalogue, head: SessionHead, initialDigests: InitialDigests = InitialDigests()) {
        contents = [Contents(catalogue: catalogue, head: head, initialDigests: initialDigests)]
    }

    var catalogue: Catalogue { contents[0].catalogue }
    var head: SessionHead { contents[0].head }
    /// What the store knows of what untouched view models show.
    var initialDigests: InitialDigests { contents[0].initialDigests }
    private var views: [View?] { contents[0].views }
    private var heldBack: [Int: ViewModelRecord] { contents[0].heldBack }
    private var unreadable: [Int: ModelUnreadable] { contents[0].unreadable }

    var cursor: Cursor { head.cursor }

    func view(at place: Int) -> View? { views.isEmpty ? nil : views[place] }

    /// What was stored of a view model, or is shown of it; nil for one that nobody has touched.
    func record(at place: Int) -> ViewModelRecord? { view(at: place)?.record ?? heldBack[place] }

    /// Whether something was stored that this build has to derive before it can be shown.
    var lacksOutputs: Bool { heldBack.keys.contains { unreadable[$0] == nil } }

    /// The view models that were stored and are not shown, by the digests of their names.
    ///
    /// - Parameter changes: what a commit is about to show.
    func withheld(after changes: borrowing ChangedViews) -> Set<UInt32> {
        guard !heldBack.isEmpty else { return [] }
        let places = Set(heldBack.keys).subtracting(changes.views.map(\.place))
        return Set(places.map { catalogue.viewModels[$0].nameDigest })
    }

    /// Why a view model is not shown; nil where it is, or can be.
    func refusal(at place: Int) -> ModelUnreadable? { unreadable[place] }

    /// Why a query cannot be answered: the first that it would show of those that cannot be read.
    func refusal(of query: FeedQuery) -> ModelUnreadable? {
        guard !unreadable.isEmpty else { return nil }
        return unreadable.keys.sorted().first { outputs(of: $0).contains(where: query.wants) }.flatMap {
            unreadable[$0]
        }
    }

    /// The view models that have to be made before a query can be answered: with a snapshot, or with nothing new, since one
    /// that nobody has touched may show something else by now.
    func missing(for query: FeedQuery) -> [Int] {
        let places = untouched(by: query)
        guard !places.isEmpty, let since = query.since, snapshotReason(for: query) == nil else { return places }
        return hasNews(for: query, since: since.seq) ? [] : places
    }

    /// Places of view models that a query would show and nobody has made yet.
    func untouched(by query: FeedQuery) -> [Int] {
        catalogue.viewModels.indices.filter { place in
            view(at: place) == nil && outputs(of: place).contains(where: query.wants)
        }
    }

    /// Shows a view model that was just made or just committed.
    mutating func show(_ view: View, at place: Int) {
        contents[0].show(view, at: place)
    }

    /// Keeps what was stored of a view model until it can be shown.
    mutating func holdBack(_ record: ViewModelRecord, at place: Int) { contents[0].heldBack[place] = record }

    /// Shows a view model no more, because its model cannot be read.
    mutating func refuse(_ place: Int, because error: ModelUnreadable) {
        if let record = record(at: place) { contents[0].heldBack[place] = record }
        if !views.isEmpty { contents[0].views[place] = nil }
        contents[0].unreadable[place] = error
    }

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

    /// The answer to give at once; nil where there is nothing newer, or something of it has to be made first.
    func wholeAnswer(to query: FeedQuery) -> FeedAnswer? { missing(for: query).isEmpty ? answer(to: query) : nil }

    /// The answer to give at once, or nil where there is nothing newer than the query's cursor.
    func answer(to query: FeedQuery) -> FeedAnswer? {
        if let reason = snapshotReason(for: query) {
            return FeedAnswer(
                .snapshot(reason), at: cursor, entries: entries(for: query) { _ in true },
                includesValues: query.includesValues)
        }
        guard let since = query.since, hasNews(for: query, since: since.seq) else { return nil }
        return FeedAnswer(
            .delta, at: cursor, entries: entries(for: query) { $0 > since.seq },
            includesValues: query.includesValues)
    }

    private func hasNews(for query: FeedQuery, since seq: UInt64) -> Bool {
        guard seq < head.seq else { return false }
        return views.indices.contains { place in
            guard let view = views[place], view.lastChange > seq else { return false }
            return zip(outputs(of: place), view.record.outputs).contains { $1.seq > seq && query.wants($0) }
        }
    }

    private func entries(for query: FeedQuery, where isNews: (UInt64) -> Bool) -> [FeedEntry] {
        var entries: [FeedEntry] = []
        for (place, declaration) in catalogue.viewModels.enumerated() {
            guard let view = view(at: place) else { continue }
            for (index, output) in outputs(of: place).enumerated() where query.wants(output) {
                let latest = view.record.outputs[index]
                guard isNews(latest.seq) else { continue }
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
    init(catalogue: Catalogue, record: SessionRecord) {
        self.init(catalogue: catalogue, head: record.head, initialDigests: record.initialDigests)
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

/// The committed presentation state of one view model, or of one facet of it: the only state that is ever shown.
///
/// A value that never changes, and a class all the same: drafts, feeds and answers pass it on many times for each action,
/// and one reference costs less than the five in it.
public final class View: Sendable {
    /// The outputs as a JSON object, in declared order.
    public let json: [UInt8]
    /// The cursor of the commit at which an output last changed, as a strong entity tag.
    public let entityTag: String
    /// The number of that commit, 0 for none yet.
    public let lastChange: UInt64
    /// What is, or would be, stored of it: the model and the latest value of each output.
    let record: ViewModelRecord

    convenience init(_ declaration: Declaration, history: SessionHistory, record: ViewModelRecord) {
        self.init(names: declaration.outputNames, history: history, record: record)
    }

    private init(names: [Name], history: SessionHistory, record: ViewModelRecord) {
        self.record = record
        let outputs = record.outputs
        json = JSON.object(names) { outputs[$0].value }
        var lastChange: UInt64 = 0
        // Behind them may be another build's.
        for output in outputs.prefix(names.count) { lastChange = max(lastChange, output.seq) }
        self.lastChange = lastChange
        entityTag = history.cursor(at: lastChange).entityTag
    }

    /// The same view, with the cursor that a history gives its latest change.
    func named(by history: SessionHistory, of declaration: Declaration) -> View {
        guard entityTag != history.cursor(at: lastChange).entityTag else { return self }
        return View(declaration, history: history, record: record)
    }

    /// What a facet shows of this view.
    func narrowed(to facet: FacetDeclaration, of declaration: Declaration, history: SessionHistory) -> View {
        let outputs = facet.outputs.map { record.outputs[$0] }
        return View(
            names: facet.outputs.map { declaration.outputNames[$0] }, history: history,
            record: ViewModelRecord(name: record.name, model: [], outputs: outputs))
    }
}
