import ViewModels

/// The committed presentation state of one view model, or of one facet of it: the only state that is ever shown.
///
/// A value that never changes, and a class all the same: commits, feeds and answers pass it on many times for each action,
/// and one reference costs less than those in it.
public final class View: Sendable {
    /// The outputs as a JSON object, in declared order.
    public let json: [UInt8]
    /// The cursor of the commit at which an output last changed, as a strong entity tag.
    public let entityTag: String
    /// The number of that commit, 0 for none yet.
    public let lastChange: UInt64
    /// What is, or would be, stored of it: the model and the latest value of each output.
    let record: ViewModelRecord
    /// Whether no commit brought it: it is what the build shows from the beginning.
    let isUntouched: Bool

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
