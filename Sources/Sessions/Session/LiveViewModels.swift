import Binding
internal import Events
import Synchronization
import ViewModels

/// The live view models of one session; they belong to whoever carries out the session's orders.
///
/// They may be ahead of what is committed. Where that must not be, they are discarded, and made again from the committed
/// models.
final class LiveViewModels {
    /// The place of an output: which view model, and which of its outputs.
    struct OutputPlace: Hashable {
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

    /// All that is stored of an instance, as it encodes it; nil for what it cannot.
    private struct Encoded: Equatable {
        let model: [UInt8]?
        let outputs: [[UInt8]?]

        init(_ viewModel: any HostedViewModel) {
            model = try? viewModel.encodedModel()
            outputs = viewModel.variables.indices.map { try? viewModel.encodedOutput(at: $0) }
        }
    }

    /// The outputs that may show something else than what was submitted.
    struct ChangedOutputs {
        /// Those that were set in this turn, or have no variable that would tell; those of the view model that acted have
        /// to be encoded.
        var set: [OutputPlace] = []
        /// Those that were set elsewhere.
        var suspects: [OutputPlace] = []
        /// Those that were found to show what cannot be encoded: they are told of when it can.
        var unshowable: [OutputPlace] = []

        /// The places of their view models, but for one: mostly none, and then nothing is allocated.
        func viewModels(beside place: Int) -> Set<Int> {
            var places: Set<Int> = []
            for output in set where output.viewModel != place { places.insert(output.viewModel) }
            for output in suspects where output.viewModel != place { places.insert(output.viewModel) }
            return places
        }
    }

    private final class Instances {
        let context: ViewModelContext
        let recorder = ChangeRecorder()
        var viewModels: [Int: any HostedViewModel] = [:]
        var ids: [Int: InstanceID] = [:]
        var outputs: [ObjectIdentifier: [OutputPlace]] = [:]
        var silentOutputs: [Int: [OutputPlace]] = [:]
        /// By place, what an instance encoded when it was made, where that is not what is shown, or nothing is: a build may add
        /// a member, and what encodes itself may do so in another order each time.
        var unlike: [Int: Encoded] = [:]
        /// Outputs that may show something else than what was submitted, with what they showed when that was found.
        ///
        /// Their variables are not theirs alone, and were set elsewhere: the next turn tells of it, whoever acts. Nil for what
        /// cannot be encoded, which stays a suspect until it can.
        var suspects: [OutputPlace: [UInt8]?] = [:]

        init(language: Language) {
            context = ViewModelContext(language: language) { _, _ in throw CancellationError() }
        }
    }

    private let id: SessionID
    private let names: CrashNames
    let environment: SessionEnvironment
    private var instances: Instances?
    /// The places of view models that were thrown away.
    private var lost: Set<Int>
    /// The places of those of which an action that failed left something changed that may not be theirs alone.
    private var doubtful: Set<Int> = []
    /// The place of the view model that was begun last, for who finds that it takes too long; and when, in milliseconds.
    let begunLast = Atomic(0)
    let begunAt = Atomic(0)

    var catalogue: Catalogue { environment.catalogue }

    /// - Parameter places: those of view models that others lost to a thread which does not return.
    init(
        of id: SessionID, named names: CrashNames, environment: SessionEnvironment, lacking places: Set<Int> = []
    ) {
        (self.id, self.names) = (id, names)
        lost = places
        self.environment = environment
    }

    /// Runs code of the view model at a place, of which a crash is to say whose it is.
    func running<Result, Failure: Error>(
        _ place: Int, _ code: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try names.running(environment.labels[place].viewModel, nil, code)
    }

    /// The live view model at a place, made from its committed model, or from nothing, where it is not there yet.
    ///
    /// - Throws: ``ModelUnreadable``.
    func viewModel(at place: Int, on feed: ChangeFeed) throws(ModelUnreadable) -> any HostedViewModel {
        let instances = self.instances ?? Instances(language: feed.untouched.language)
        self.instances = instances
        if let viewModel = instances.viewModels[place] { return viewModel }
        let instance = InstanceID()
        // By name: a weak reference to the session would make every other one slower.
        let context = instances.context.beside { [id, environment] viewModel, body in
            guard let session = environment.sessions.withLock({ $0[id] }) else { throw CancellationError() }
            try await session.change(viewModel, of: instance, body)
        }
        return try running(place) { () throws(ModelUnreadable) in
            let viewModel = try make(at: place, in: context, on: feed)
            follow(viewModel, at: place, as: instance, on: feed, of: instances)
            return viewModel
        }
    }

    /// The places of those that are there, or were and are to be again.
    var places: Set<Int> { lost.union(instances?.viewModels.keys.map(\.self) ?? []) }

    /// Whether some are to be made anew, or compared with others that have to be made for that.
    var lacksSome: Bool { !lost.isEmpty || !doubtful.isEmpty }

    /// Takes an instance in as the live one of its place, and looks where it is not what is shown.
    private func follow(
        _ viewModel: any HostedViewModel, at place: Int, as instance: InstanceID, on feed: ChangeFeed,
        of instances: Instances
    ) {
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
        if let shown = feed.view(at: place)?.record ?? feed.record(at: place) {
            compare(viewModel, at: place, with: shown, of: instances)
        } else {
            instances.unlike[place] = Encoded(viewModel)
        }
    }

    /// Makes an instance from its committed model, or from nothing.
    private func make(
        at place: Int, in context: ViewModelContext, on feed: ChangeFeed
    ) throws(ModelUnreadable) -> any HostedViewModel {
        begunLast.store(place, ordering: .relaxed)
        begunAt.store(environment.now.milliseconds, ordering: .relaxed)
        let declaration = catalogue.viewModels[place]
        let record = feed.record(at: place)
        let viewModel = try declaration.make(in: context, from: record?.model, storedBy: record?.version)
        // One whose first model is not always the same: what is acted on is what is shown.
        guard record == nil, let shown = feed.view(at: place)?.record, Self.isOtherModel(viewModel, than: shown) else {
            return viewModel
        }
        return try declaration.make(in: context, from: shown.model, storedBy: shown.version)
    }

    /// Whether an instance was made of another model than what is shown was, and shows that.
    private static func isOtherModel(_ viewModel: any HostedViewModel, than record: ViewModelRecord) -> Bool {
        let encoded = Encoded(viewModel)
        return encoded.model != record.model && encoded.outputs != record.outputs.map(\.value)
    }

    /// Notes where an instance is not what is shown of it.
    private func compare(
        _ viewModel: any HostedViewModel, at place: Int, with record: ViewModelRecord, of instances: Instances
    ) {
        let encoded = Encoded(viewModel)
        let declaration = catalogue.viewModels[place]
        let others = declaration.outputNames.indices.filter { output in
            let name = declaration.outputNames[output].rawValue
            return record.outputs.first { $0.name == name }?.value != encoded.outputs[output]
        }
        guard !others.isEmpty || encoded.model != record.model else { return }
        instances.unlike[place] = encoded
        // What a later version derived stays as it is.
        guard record.version <= declaration.version else { return }
        for output in others {
            instances.suspects[OutputPlace(viewModel: place, output: output)] = encoded.outputs[output]
        }
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

    /// Tells the log of what cannot be encoded, and is not shown for that reason.
    func tell(_ error: any Error) {
        guard let error = error as? OutputUnshowable else { return }
        environment.tell(
            Event(
                .outputUnshowable,
                [
                    "viewModel": .text(error.viewModel), "output": error.output.map { .text($0) },
                    "reason": .text(error.reason),
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

    /// A turn begins: what was set before is not of its making.
    func beginTurn() {
        guard let instances else { return }
        for setter in instances.recorder.drain() {
            for place in instances.outputs[setter, default: []] {
                guard let viewModel = instances.viewModels[place.viewModel] else { continue }
                instances.suspects[place] = .some(
                    running(place.viewModel) { try? viewModel.encodedOutput(at: place.output) })
            }
        }
    }

    /// The outputs that may show something else than what was submitted: those whose variable was set, and where somebody
    /// may have acted or heard of it, those which have none.
    func changedOutputs(of places: [Int]) -> ChangedOutputs {
        guard let instances else { return ChangedOutputs() }
        let setters = instances.recorder.drain()
        // Mostly one variable was set, and its list is the answer.
        let set =
            setters.count == 1
            ? instances.outputs[setters[0], default: []] : setters.flatMap { instances.outputs[$0, default: []] }
        let silent = instances.silentOutputs
        if silent.isEmpty, instances.suspects.isEmpty { return ChangedOutputs(set: set) }
        return ChangedOutputs(
            set: set + places.flatMap { silent[$0, default: []] }, suspects: Array(instances.suspects.keys))
    }

    /// The places of the live view models that may have heard what another set, but for the one that acted.
    func listeners(beside place: Int) -> [Int] {
        guard let instances, instances.context.hasCenter else { return [] }
        return instances.viewModels.filter { $0.key != place && $0.value.changesItself }.keys.sorted()
    }

    /// Whether the model of an instance is another than what it was made of, or what was stored of it since.
    func hasAnotherModel(_ model: [UInt8], at place: Int, than record: ViewModelRecord) -> Bool {
        model != instances?.unlike[place].flatMap(\.model) ?? record.model
    }

    /// What changed is a commit now.
    ///
    /// - Parameter unshowable: what could not be encoded, and is looked at again in the next turn.
    func noteGathered(_ changed: [Int], unshowable: [OutputPlace]) {
        guard let instances else { return }
        if !instances.suspects.isEmpty { instances.suspects = [:] }
        for place in unshowable {
            instances.suspects[place] = .some(
                running(place.viewModel) {
                    try? instances.viewModels[place.viewModel]?.encodedOutput(at: place.output)
                })
        }
        guard !instances.unlike.isEmpty else { return }
        for place in changed { instances.unlike[place] = nil }
    }

    /// Throws away what an action changed before it gave up, and nothing else: others may have something under way.
    ///
    /// - Parameter acted: where the view model stands that acted; what is not encoded of it may be otherwise, too.
    func rollBack(to feed: ChangeFeed, actedOn acted: Int) {
        guard let instances else { return }
        _ = instances.recorder.drain()
        for (place, viewModel) in instances.viewModels {
            let record = feed.view(at: place)?.record
            if running(place, { isUnchanged(viewModel, at: place, of: instances, record) }) { continue }
            if place != acted, record != nil, feed.untouched.sharing.contains(place) {
                doubtful.insert(place)
            } else {
                discard(place, viewModel, of: instances)
            }
        }
    }

    /// Keeps a doubtful instance where what changed of it are variables that are not its own.
    private func settle(_ place: Int, on feed: ChangeFeed) {
        guard let instances, let viewModel = instances.viewModels[place] else { return }
        running(place) {
            if let record = feed.view(at: place)?.record, isLikeNew(viewModel, at: place, on: feed) {
                compare(viewModel, at: place, with: record, of: instances)
            } else {
                discard(place, viewModel, of: instances)
            }
        }
    }

    /// Whether an instance encodes what was submitted, or what it did when it was made from that; and its suspects what they
    /// showed when they became such.
    private func isUnchanged(
        _ viewModel: any HostedViewModel, at place: Int, of instances: Instances, _ record: ViewModelRecord?
    ) -> Bool {
        let encoded = Encoded(viewModel)
        // What cannot be encoded is like nothing else.
        guard encoded.model != nil else { return false }
        func isLike(_ model: [UInt8]?, _ outputs: some Collection<[UInt8]?>) -> Bool {
            encoded.model == model
                && zip(encoded.outputs, outputs).enumerated().allSatisfy { output, values in
                    let suspect = instances.suspects[OutputPlace(viewModel: place, output: output)]
                    return values.0 == suspect ?? values.1
                }
        }
        if let record, isLike(record.model, record.outputs.map(\.value)) { return true }
        guard let unlike = instances.unlike[place] else { return false }
        return isLike(unlike.model, unlike.outputs)
    }

    /// Whether an instance encodes what one would that is made now: then what changed of it is variables that are not its
    /// own, and they stay as others have set them.
    private func isLikeNew(_ viewModel: any HostedViewModel, at place: Int, on feed: ChangeFeed) -> Bool {
        let context = ViewModelContext(language: feed.untouched.language) { _, _ in throw CancellationError() }
        guard let other = try? make(at: place, in: context, on: feed) else { return false }
        let encoded = Encoded(viewModel)
        return encoded.model != nil && encoded == Encoded(other)
    }

    /// Lets go of an instance that need not be there.
    func drop(_ place: Int) {
        guard let instances, !lost.contains(place), let viewModel = instances.viewModels[place] else { return }
        discard(place, viewModel, of: instances)
        lost.remove(place)
    }

    private func discard(_ place: Int, _ viewModel: any HostedViewModel, of instances: Instances) {
        lost.insert(place)
        instances.viewModels[place] = nil
        instances.ids.removeValue(forKey: place)?.discard()
        instances.silentOutputs[place] = nil
        instances.unlike[place] = nil
        if !instances.suspects.isEmpty { instances.suspects = instances.suspects.filter { $0.key.viewModel != place } }
        for variable in viewModel.variables.lazy.compactMap({ $0 }) {
            instances.outputs[variable.id]?.removeAll { $0.viewModel == place }
        }
    }

    /// Throws those away that stand on what was committed before, and those that need not be kept.
    func discardStale(since known: ChangeFeed, by feed: ChangeFeed) {
        guard let instances else { return }
        _ = instances.recorder.drain()
        for (place, viewModel) in instances.viewModels {
            let shown = known.view(at: place)?.record
            let isKept =
                viewModel.changesItself && !doubtful.contains(place) && !feed.untouched.sharing.contains(place)
                && known.record(at: place) == feed.record(at: place)
                && running(place) { isUnchanged(viewModel, at: place, of: instances, shown) }
            if !isKept { discard(place, viewModel, of: instances) }
        }
        doubtful = []
    }

    /// Throws the live view models away.
    func clear() {
        if let instances {
            lost.formUnion(instances.viewModels.keys)
            for instance in instances.ids.values { instance.discard() }
        }
        instances = nil
        doubtful = []
    }

    /// Where they are not made anew: what an action that failed may have changed is not to be acted on before it was compared.
    func discardDoubtful() {
        for place in doubtful {
            guard let instances, let viewModel = instances.viewModels[place] else { continue }
            discard(place, viewModel, of: instances)
        }
        doubtful = []
    }

    /// Makes those anew that were thrown away, and compares them with what is shown of them.
    ///
    /// They may change by themselves, or show a variable that is not theirs alone; no action may come to do it, and somebody
    /// may be waiting for that.
    func revive(from feed: ChangeFeed) {
        for place in doubtful { settle(place, on: feed) }
        doubtful = []
        // One whose model cannot be read is left for whoever asks for it, who is told.
        for place in lost { _ = try? viewModel(at: place, on: feed) }
        lost = []
    }
}
