import ViewModels

extension ViewModelRecord {
    /// Takes over what a view model shows now, of the outputs at some places.
    ///
    /// - Parameter seq: the commit that brings what is new.
    /// - Returns: whether anything is.
    /// - Throws: `EncodingError`; what was compared before it is taken over.
    mutating func update(
        _ places: some Sequence<Int>, from viewModel: any HostedViewModel, at seq: UInt64
    ) throws -> Bool {
        var isChanged = false
        for place in places {
            let value = try viewModel.encodedOutput(at: place)
            guard value != outputs[place].value else { continue }
            outputs[place].value = value
            outputs[place].seq = seq
            isChanged = true
        }
        return isChanged
    }
    /// Takes over all that a view model shows now that was made from this record.
    ///
    /// What a later version derived stays as it is; only what it did not derive is added.
    ///
    /// - Parameter seq: the commit that brings what is new.
    /// - Returns: the record as it is to be shown, and whether anything in it is new.
    /// - Throws: `EncodingError`.
    func derived(
        by viewModel: any HostedViewModel, of declaration: Declaration, at seq: UInt64
    ) throws -> (record: ViewModelRecord, isChanged: Bool) {
        let isLater = version > declaration.version
        let names = declaration.outputNames.map(\.rawValue)
        var isChanged = false
        let derived = try names.enumerated().map { place, name in
            let stored = outputs.first { $0.name == name }
            if isLater, let stored { return stored }
            let value = try viewModel.encodedOutput(at: place)
            if let stored, stored.value == value { return stored }
            isChanged = true
            return OutputRecord(name: name, value: value, seq: seq)
        }
        var record = self
        record.outputs = derived + outputs.filter { !names.contains($0.name) }
        // The text and the version of which it is belong together.
        if isChanged { (record.model, record.version) = (try viewModel.encodedModel(), viewModel.version) }
        return (record, isChanged)
    }
}
