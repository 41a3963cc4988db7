import Binding
import Synchronization
import ViewModels

/// The live view models of one session; they belong to whoever carries out the session's orders.
///
/// What lives here may be ahead of what is committed. Whenever that must not be, it is thrown away and made again
/// from the committed models.
final class Stage {
    /// The place of an output: which view model, and which of its outputs.
    struct OutputPlace {
        let viewModel: Int
        let output: Int
    }

    /// Names an instance, for as long as anybody asks for it: its identity alone may be another's by then.
    final class Mark: Sendable {
        private let discarded = Atomic(false)

        /// Whether the instance was thrown away.
        var isDiscarded: Bool { discarded.load(ordering: .relaxed) }

        fileprivate func discard() { discarded.store(true, ordering: .relaxed) }
    }

    private final class Cast {
        let context: ViewModelContext
        let recorder = ChangeRecorder()
        var viewModels: [Int: any HostedViewModel] = [:]
        var marks: [Int: Mark] = [:]
        var outputs: [ObjectIdentifier: [OutputPlace]] = [:]
        var silentOutputs: [Int: [OutputPlace]] = [:]

        init(language: Language) {
            context = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        }
    }

    private let id: SessionID
    private let language: Language
    private let surroundings: SessionSurroundings
    private var cast: Cast?
    /// The places of view models that change by themselves and were thrown away.
    private var lost: Set<Int> = []

    var catalogue: Catalogue { surroundings.catalogue }

    init(of id: SessionID, language: Language, surroundings: SessionSurroundings) {
        self.id = id
        self.language = language
        self.surroundings = surroundings
    }

    /// The live view model at a place, made from its committed model, or from nothing, where it is not there yet.
    ///
    /// - Throws: ``ModelUnreadable``.
    func viewModel(at place: Int, from record: ViewModelRecord?) throws(ModelUnreadable) -> any HostedViewModel {
        let cast = self.cast ?? Cast(language: language)
        self.cast = cast
        if let viewModel = cast.viewModels[place] { return viewModel }
        let mark = Mark()
        // By name: a weak reference to the session would make every other one slower.
        let context = cast.context.beside { [id, surroundings] viewModel, body in
            guard let session = surroundings.sessions.withLock({ $0[id] }) else { throw CancellationError() }
            try await session.change(viewModel, of: mark, body)
        }
        let viewModel = try surroundings.catalogue.viewModels[place].make(
            in: context, from: record?.model, storedBy: record?.version)
        cast.viewModels[place] = viewModel
        cast.marks[place] = mark
        for (index, variable) in viewModel.variables.enumerated() {
            let output = OutputPlace(viewModel: place, output: index)
            if let variable {
                cast.recorder.follow(variable)
                cast.outputs[variable.id, default: []].append(output)
            } else {
                cast.silentOutputs[place, default: []].append(output)
            }
        }
        return viewModel
    }

    /// The live view model at a place, if it was made.
    func liveViewModel(at place: Int) -> (any HostedViewModel)? { cast?.viewModels[place] }

    /// The place of a view model by its identity and its mark, if that instance is still the live one.
    func place(of identity: ObjectIdentifier, marked mark: Mark) -> Int? {
        guard let cast, let place = cast.marks.first(where: { $0.value === mark })?.key else { return nil }
        return cast.viewModels[place]?.identity == identity ? place : nil
    }

    /// The outputs that may have changed since the last call: those whose variable was set, and those of the view model
    /// that acted which have none.
    func changedOutputs(actedOn place: Int) -> [OutputPlace] {
        guard let cast else { return [] }
        let silent = cast.silentOutputs[place, default: []]
        let setters = cast.recorder.drain()
        // Mostly one variable was set, and its list is the answer.
        if setters.count == 1, silent.isEmpty { return cast.outputs[setters[0], default: []] }
        return setters.flatMap { cast.outputs[$0, default: []] } + silent
    }

    /// Throws away what an action changed before it gave up, and nothing else: others may have something under way.
    func rollBack(to feed: ChangeFeed) {
        guard let cast else { return }
        _ = cast.recorder.drain()
        for (place, viewModel) in cast.viewModels where !Self.shows(viewModel, what: feed.record(at: place)) {
            discard(place, viewModel, of: cast)
        }
        revive(from: feed)
    }

    private static func shows(_ viewModel: any HostedViewModel, what record: ViewModelRecord?) -> Bool {
        guard let record, (try? viewModel.encodedModel()) == record.model else { return false }
        return record.outputs.prefix(viewModel.variables.count).enumerated().allSatisfy { place, output in
            (try? viewModel.encodedOutput(at: place)) == output.value
        }
    }

    private func discard(_ place: Int, _ viewModel: any HostedViewModel, of cast: Cast) {
        if viewModel.changesItself { lost.insert(place) }
        cast.viewModels[place] = nil
        cast.marks.removeValue(forKey: place)?.discard()
        cast.silentOutputs[place] = nil
        for variable in viewModel.variables.lazy.compactMap({ $0 }) {
            cast.outputs[variable.id]?.removeAll { $0.viewModel == place }
        }
    }

    /// Throws the live view models away.
    func clear() {
        if let cast {
            lost.formUnion(cast.viewModels.filter { $0.value.changesItself }.keys)
            for mark in cast.marks.values { mark.discard() }
        }
        cast = nil
    }

    /// Makes those anew that change by themselves and were thrown away: no action may come to do it, and somebody may
    /// be waiting for what they do.
    func revive(from feed: ChangeFeed) {
        // One whose model cannot be read is left for whoever asks for it, who is told.
        for place in lost { _ = try? viewModel(at: place, from: feed.record(at: place)) }
        lost = []
    }
}
