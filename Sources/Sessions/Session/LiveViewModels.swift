import Binding
import Events
import Synchronization
import ViewModels

/// The live view models of one session; they belong to whoever carries out the session's orders.
///
/// They may be ahead of what is committed. Where that must not be, they are discarded, and made again from the committed
/// models.
final class LiveViewModels {
    /// The place of an output: which view model, and which of its outputs.
    struct OutputPlace {
        let viewModel: Int
        let output: Int
    }

    /// Identifies one instance, also after it was freed, when its `ObjectIdentifier` may be another object's.
    final class InstanceID: Sendable {
        private let discarded = Atomic(false)

        /// Whether the instance was thrown away.
        var isDiscarded: Bool { discarded.load(ordering: .relaxed) }

        fileprivate func discard() { discarded.store(true, ordering: .relaxed) }
    }

    private final class Instances {
        let context: ViewModelContext
        let recorder = ChangeRecorder()
        var viewModels: [Int: any HostedViewModel] = [:]
        var ids: [Int: InstanceID] = [:]
        var outputs: [ObjectIdentifier: [OutputPlace]] = [:]
        var silentOutputs: [Int: [OutputPlace]] = [:]

        init(language: Language) {
            context = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        }
    }

    private let id: SessionID
    private let language: Language
    private let environment: SessionEnvironment
    private var instances: Instances?
    /// The places of view models that change by themselves and were thrown away.
    private var lost: Set<Int> = []

    var catalogue: Catalogue { environment.catalogue }

    init(of id: SessionID, language: Language, environment: SessionEnvironment) {
        self.id = id
        self.language = language
        self.environment = environment
    }

    /// The live view model at a place, made from its committed model, or from nothing, where it is not there yet.
    ///
    /// - Throws: ``ModelUnreadable``.
    func viewModel(at place: Int, from record: ViewModelRecord?) throws(ModelUnreadable) -> any HostedViewModel {
        let instances = self.instances ?? Instances(language: language)
        self.instances = instances
        if let viewModel = instances.viewModels[place] { return viewModel }
        let instance = InstanceID()
        // By name: a weak reference to the session would make every other one slower.
        let context = instances.context.beside { [id, environment] viewModel, body in
            guard let session = environment.sessions.withLock({ $0[id] }) else { throw CancellationError() }
            try await session.change(viewModel, of: instance, body)
        }
        let viewModel = try environment.catalogue.viewModels[place].make(
            in: context, from: record?.model, storedBy: record?.version)
        instances.viewModels[place] = viewModel
        instances.ids[place] = instance
        for (index, variable) in viewModel.variables.enumerated() {
            let output = OutputPlace(viewModel: place, output: index)
            if let variable {
                instances.recorder.follow(variable)
                instances.outputs[variable.id, default: []].append(output)
            } else {
                instances.silentOutputs[place, default: []].append(output)
            }
        }
        return viewModel
    }

    /// Tells the log of a stored model that this build cannot read.
    func tell(_ error: ModelUnreadable) {
        environment.tell(
            Event(
                .modelUnreadable,
                [
                    "viewModel": .text(error.viewModel.rawValue), "reason": .text("\(error)"),
                    "session": .text("\(SessionTag(of: id))"),
                ]), alike: "\(error)")
    }

    /// The live view model at a place, if it was made.
    func liveViewModel(at place: Int) -> (any HostedViewModel)? { instances?.viewModels[place] }

    /// The place of a view model by its identity and its instance, if that instance is still the live one.
    func place(of identity: ObjectIdentifier, marked instance: InstanceID) -> Int? {
        guard let instances, let place = instances.ids.first(where: { $0.value === instance })?.key else { return nil }
        return instances.viewModels[place]?.identity == identity ? place : nil
    }

    /// The outputs that may have changed since the last call: those whose variable was set, and those of the view model
    /// that acted which have none.
    func changedOutputs(actedOn place: Int) -> [OutputPlace] {
        guard let instances else { return [] }
        let silent = instances.silentOutputs[place, default: []]
        let setters = instances.recorder.drain()
        // Mostly one variable was set, and its list is the answer.
        if setters.count == 1, silent.isEmpty { return instances.outputs[setters[0], default: []] }
        return setters.flatMap { instances.outputs[$0, default: []] } + silent
    }

    /// Throws away what an action changed before it gave up, and nothing else: others may have something under way.
    func rollBack(to feed: ChangeFeed) {
        guard let instances else { return }
        _ = instances.recorder.drain()
        for (place, viewModel) in instances.viewModels where !Self.shows(viewModel, what: feed.record(at: place)) {
            discard(place, viewModel, of: instances)
        }
        revive(from: feed)
    }

    private static func shows(_ viewModel: any HostedViewModel, what record: ViewModelRecord?) -> Bool {
        guard let record, (try? viewModel.encodedModel()) == record.model else { return false }
        return record.outputs.prefix(viewModel.variables.count).enumerated().allSatisfy { place, output in
            (try? viewModel.encodedOutput(at: place)) == output.value
        }
    }

    private func discard(_ place: Int, _ viewModel: any HostedViewModel, of instances: Instances) {
        if viewModel.changesItself { lost.insert(place) }
        instances.viewModels[place] = nil
        instances.ids.removeValue(forKey: place)?.discard()
        instances.silentOutputs[place] = nil
        for variable in viewModel.variables.lazy.compactMap({ $0 }) {
            instances.outputs[variable.id]?.removeAll { $0.viewModel == place }
        }
    }

    /// Throws the live view models away.
    func clear() {
        if let instances {
            lost.formUnion(instances.viewModels.filter { $0.value.changesItself }.keys)
            for instance in instances.ids.values { instance.discard() }
        }
        instances = nil
    }

    /// Makes those anew that change by themselves and were thrown away: no action may come to do it, and somebody may
    /// be waiting for what they do.
    func revive(from feed: ChangeFeed) {
        // One whose model cannot be read is left for whoever asks for it, who is told.
        for place in lost { _ = try? viewModel(at: place, from: feed.record(at: place)) }
        lost = []
    }
}
