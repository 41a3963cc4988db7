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
}
