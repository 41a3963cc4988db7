extension ServeOptions {
    /// The file of the store, for a command that needs one.
    ///
    /// - Parameter complaint: what is said of a store in memory.
    /// - Throws: ``UsageError`` where the store is none.
    func file(or complaint: String) throws -> String {
        guard case .sqlite(let path) = store else {
            throw UsageError("a store in memory \(complaint); name a file with --store sqlite:PATH")
        }
        return path
    }
}
