import ViewModels

/// The committed presentation state of one view model, or of one facet of it: the only state that is ever shown.
public struct View: Sendable {
    /// The outputs as a JSON object, in declared order.
    public let json: [UInt8]
    /// The cursor of the commit at which an output last changed, as a strong entity tag.
    public let entityTag: String
    /// The number of that commit, 0 for none yet.
    public let lastChange: UInt64
    /// The latest value of each output, in declared order.
    let cells: [OutputCell]
    /// The model the outputs were derived from, as JSON text.
    let model: [UInt8]

    init(_ declaration: Declaration, epoch: Epoch, cells: [OutputCell], model: [UInt8]) {
        self.init(names: declaration.outputs.map(\.name), epoch: epoch, cells: cells, model: model)
    }

    private init(names: [Name], epoch: Epoch, cells: [OutputCell], model: [UInt8]) {
        self.cells = cells
        self.model = model
        json = JSON.object(zip(names, cells).lazy.map { ($0, $1.value) })
        lastChange = cells.lazy.map(\.seq).max() ?? 0
        entityTag = Cursor(epoch: epoch, seq: lastChange).entityTag
    }

    /// What a facet shows of this view.
    func narrowed(to facet: FacetDeclaration, of declaration: Declaration, epoch: Epoch) -> View {
        View(
            names: facet.outputs.map { declaration.outputs[$0].name }, epoch: epoch,
            cells: facet.outputs.map { cells[$0] }, model: [])
    }

    /// What is stored of this view.
    func record(for declaration: Declaration) -> ViewModelRecord {
        ViewModelRecord(
            name: declaration.name.rawValue, model: model,
            outputs: zip(declaration.outputs, cells).map {
                OutputRecord(name: $0.name.rawValue, value: $1.value, seq: $1.seq)
            })
    }
}
