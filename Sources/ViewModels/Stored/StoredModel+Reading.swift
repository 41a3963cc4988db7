extension StoredModel {
    /// Reads a stored model by the rules of ``StoredModel``.
    ///
    /// What a later version stored is read only where all is there that this one needs: what is missing there was left out
    /// on purpose, and a default would deny what is stored under another name.
    ///
    /// - Parameter stored: the version that the text was stored by.
    /// - Returns: the model, what this build does not know of it, and how the two differ.
    /// - Throws: ``ModelUnreadable``.
    static func read(
        _ text: [UInt8], storedBy stored: Int, for viewModel: Name
    ) throws(ModelUnreadable) -> (model: Self, kept: KeptMembers?, reading: ModelReading) {
        var isMigration = false
        do {
            var node = try JSONGrammar.read(text)
            if stored < version, case .object(let members) = node {
                isMigration = true
                var object = StoredObject(members)
                try migrate(&object, from: stored)
                node = object.node
                isMigration = false
            }
            let defaults = StoredDefaults(of: Self.self, isWhole: stored > version)
            let model = try JSONNodeDecoder(node: node, defaults: defaults).decode(Self.self)
            let kept = KeptMembers(unaskedIn: node)
            return (model, kept, ModelReading(unknown: kept?.places ?? [], missing: defaults.missing))
        } catch {
            throw ModelUnreadable(
                error, reading: viewModel, storedVersion: stored, version: version, isMigration: isMigration)
        }
    }
}
