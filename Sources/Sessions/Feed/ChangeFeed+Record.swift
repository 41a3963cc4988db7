import ViewModels

extension ChangeFeed {
    /// The feed of a session as it was stored.
    ///
    /// A view model that was stored without an output which this build declares is held back until that output was derived:
    /// nothing stands in for it.
    init(catalogue: Catalogue, record: SessionRecord) {
        self.init(catalogue: catalogue, head: record.head, beginnings: record.beginnings)
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
