import SQLiteStore

/// `bindery backup PATH`: copies the store while it is served.
enum Backup {
    /// - Parameters:
    ///   - arguments: the new file, and then options that say where the store is.
    /// - Throws: ``UsageError``; `SQLiteStoreError`, as where there is such a file.
    static func run(_ arguments: [String], _ environment: [String: String]) async throws {
        guard let target = arguments.first, !target.hasPrefix("--"), !target.isEmpty else {
            throw UsageError("backup needs the file to write: bindery backup PATH [--store sqlite:PATH]")
        }
        let options = try ServeOptions(arguments: Array(arguments.dropFirst()), environment: environment)
        let source = try options.file(or: "cannot be backed up")
        try await SQLiteStore.backup(from: source, to: target)
        Output.print("\(source) copied to \(target)")
    }
}
