import ViewModels

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
