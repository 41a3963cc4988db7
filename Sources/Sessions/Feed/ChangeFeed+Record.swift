import ViewModels

extension ChangeFeed {
    /// The feed of a session as it was stored.
    init(catalogue: Catalogue, record: SessionRecord) {
        self.init(catalogue: catalogue, cursor: Cursor(epoch: record.epoch, seq: record.seq))
        for (place, declaration) in catalogue.viewModels.enumerated() {
            guard let stored = record.viewModels[declaration.name.rawValue] else { continue }
            let cells = declaration.outputs.map { output in
                stored.outputs.first { $0.name == output.name.rawValue }
                    .map { OutputCell(value: $0.value, seq: $0.seq) }
                    ?? OutputCell(value: Array("null".utf8), seq: 0)
            }
            show(View(declaration, epoch: record.epoch, cells: cells, model: stored.model), at: place)
        }
    }
}
