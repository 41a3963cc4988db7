import Locking
import ViewModels

/// The committed presentation state of one view model, or of one facet of it: the only state that is ever shown.
///
/// A value that never changes, and a class all the same: commits, feeds and answers pass it on many times for each action,
/// and one reference costs less than those in it.
package final class View: Sendable {
    /// The outputs as a JSON object, in declared order.
    package let json: [UInt8]
    /// The cursor of the commit at which an output last changed, as a strong entity tag.
    package let entityTag: String
    /// The number of that commit, 0 for none yet.
    package let lastChange: UInt64
    /// What is, or would be, stored of it: the model and the latest value of each output.
    let record: ViewModelRecord
    /// Whether no commit brought it: it is what the build shows from the beginning.
    let isUntouched: Bool
    private let made = Lock<(any AnyObject & Sendable)?>(nil)

    /// What is made of the view once, for all readers: always of one class.
    ///
    /// From any thread.
    package func rendition<Rendition: AnyObject & Sendable>(_ make: () -> Rendition) -> Rendition {
        made.withLock { made in
            if let rendition = made as? Rendition { return rendition }
            let rendition = make()
            made = rendition
            return rendition
        }
    }

    convenience init(
        _ declaration: Declaration, history: SessionHistory, record: ViewModelRecord, isUntouched: Bool = false
    ) {
        self.init(names: declaration.outputNames, history: history, record: record, isUntouched: isUntouched)
    }

    private convenience init(
        names: [Name], history: SessionHistory, record: ViewModelRecord, isUntouched: Bool = false
    ) {
        let outputs = record.outputs
        var lastChange: UInt64 = 0
        // Behind them may be another build's.
        for output in outputs.prefix(names.count) { lastChange = max(lastChange, output.seq) }
        self.init(
            json: JSON.object(names) { outputs[$0].value }, entityTag: history.cursor(at: lastChange).entityTag,
            lastChange: lastChange, record: record, isUntouched: isUntouched)
    }

    private init(json: [UInt8], entityTag: String, lastChange: UInt64, record: ViewModelRecord, isUntouched: Bool) {
        self.json = json
        self.entityTag = entityTag
        self.lastChange = lastChange
        self.record = record
        self.isUntouched = isUntouched
    }

    /// The same view, with the cursor that a history gives its latest change.
    func named(by history: SessionHistory) -> View {
        let name = history.cursor(at: lastChange).entityTag
        guard entityTag != name else { return self }
        return View(json: json, entityTag: name, lastChange: lastChange, record: record, isUntouched: isUntouched)
    }

    /// What a facet shows of this view.
    func narrowed(to facet: FacetDeclaration, of declaration: Declaration, history: SessionHistory) -> View {
        let outputs = facet.outputs.map { record.outputs[$0] }
        return View(
            names: facet.outputs.map { declaration.outputNames[$0] }, history: history,
            record: ViewModelRecord(name: record.name, model: [], outputs: outputs))
    }
}

extension ViewModelRecord {
    /// All that a view model shows, which was shown otherwise or not at all before.
    ///
    /// - Parameter seq: the commit that brings it; 0 for what is there from the beginning.
    /// - Throws: ``OutputUnshowable``, also where the model cannot be encoded.
    init(of declaration: Declaration, showing viewModel: any HostedViewModel, at seq: UInt64) throws {
        let outputs = try declaration.outputNames.enumerated().map { index, name in
            OutputRecord(
                name: name.rawValue,
                value: try viewModel.shown(at: index, as: name.rawValue, of: declaration.name.rawValue), seq: seq)
        }
        self.init(
            name: declaration.name.rawValue, version: viewModel.version,
            model: try viewModel.storedModel(of: declaration.name.rawValue), outputs: outputs)
    }

    /// The same, all of it told of once more.
    func told(at seq: UInt64) -> ViewModelRecord {
        var record = self
        for place in record.outputs.indices { record.outputs[place].seq = seq }
        return record
    }

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
    /// What a later version derived stays as it is; only what it did not derive is added. So does what cannot be encoded, where
    /// it is there.
    ///
    /// - Parameters:
    ///   - seq: the commit that brings what is new.
    ///   - alsoOfLater: whether what a later version derived is derived by this one all the same.
    /// - Returns: the record as it is to be shown, and whether anything in it is new.
    /// - Throws: ``OutputUnshowable``, also where the model cannot be encoded.
    func derived(
        by viewModel: any HostedViewModel, of declaration: Declaration, at seq: UInt64, alsoOfLater: Bool = false
    ) throws -> (record: ViewModelRecord, isChanged: Bool) {
        let isLater = version > declaration.version && !alsoOfLater
        let names = declaration.outputNames.map(\.rawValue)
        var isChanged = false
        let derived = try names.enumerated().map { place, name in
            let stored = outputs.first { $0.name == name }
            if isLater, let stored { return stored }
            let value: [UInt8]
            do {
                value = try viewModel.shown(at: place, as: name, of: declaration.name.rawValue)
            } catch {
                guard let stored else { throw error }
                return stored
            }
            if let stored, stored.value == value { return stored }
            isChanged = true
            return OutputRecord(name: name, value: value, seq: seq)
        }
        var record = self
        record.outputs = derived + outputs.filter { !names.contains($0.name) }
        // Model text and version are stored together.
        if isChanged { (record.model, record.version) = (try viewModel.storedModel(of: name), viewModel.version) }
        return (record, isChanged)
    }
}

extension HostedViewModel {
    /// The model, as it is stored.
    ///
    /// - Throws: ``OutputUnshowable``.
    func storedModel(of viewModel: String) throws -> [UInt8] {
        do { return try encodedModel() } catch {
            throw OutputUnshowable(viewModel: viewModel, output: nil, reason: String(reflecting: type(of: error)))
        }
    }

    /// The value of an output.
    ///
    /// - Throws: ``OutputUnshowable``.
    fileprivate func shown(at place: Int, as output: String, of viewModel: String) throws -> [UInt8] {
        do { return try encodedOutput(at: place) } catch {
            throw OutputUnshowable(viewModel: viewModel, output: output, reason: String(reflecting: type(of: error)))
        }
    }
}
