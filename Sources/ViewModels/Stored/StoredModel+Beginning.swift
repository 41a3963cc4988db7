extension StoredModel {
    /// What keeps the model of a new session from being stored and read back, in a clause that follows the view model's name; nil
    /// for nothing.
    ///
    /// A session would not show it before it leaves memory or the server is started again: until then its live model is used.
    static func beginningFault(for viewModel: Name) -> String? {
        let model = "the model \(SchemaFault.name(of: Self.self))"
        return AskedType.name(Self.self) {
            let text: [UInt8]
            do { text = try JSON.encode(object: Self()) } catch {
                let cause = (error as? EncodingError)?.complaint ?? "\(error)"
                return
                    "\(model) cannot be encoded as init() makes it: \(cause.withoutStop); begin with a value that can"
            }
            do {
                let defaults = StoredDefaults(of: Self.self, isWhole: false)
                _ = try JSONNodeDecoder(node: JSONGrammar.read(text), defaults: defaults).decode(Self.self)
                return nil
            } catch {
                let unreadable = ModelUnreadable(
                    error, reading: viewModel, storedVersion: version, version: version, isMigration: false)
                let words = (error as? DecodingError).map { $0.words } ?? "\(error)"
                return "\(model) does not read what it writes of what init() makes: \(unreadable.complaint)"
                    + (words.isEmpty ? "" : " (\(words.withoutStop))")
                    + "; let its init(from:) take all that its encode(to:) writes"
            }
        }
    }
}
