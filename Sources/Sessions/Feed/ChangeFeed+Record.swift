import ViewModels

extension ChangeFeed {
    /// The feed of a session as it was stored.
    init(catalogue: Catalogue, record: SessionRecord) {
        self.init(catalogue: catalogue, head: record.head)
        for (place, declaration) in catalogue.viewModels.enumerated() {
            guard let stored = record.viewModels[declaration.name.rawValue] else { continue }
            let outputs = declaration.outputNames.map { name in
                stored.outputs.first { $0.name == name.rawValue }
                    ?? OutputRecord(name: name.rawValue, value: Array("null".utf8), seq: 0)
            }
            let whole = ViewModelRecord(name: stored.name, model: stored.model, outputs: outputs)
            show(View(declaration, history: record.head.history, record: whole), at: place)
        }
    }
}
