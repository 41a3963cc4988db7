import SQLiteStore

/// `bindery restore BACKUP`: puts a backup where the store is, or was.
enum Restore {
    /// - Parameters:
    ///   - arguments: the backup, and then options that say where the store is.
    /// - Throws: ``UsageError``; `SQLiteStoreError`, as where the store is served.
    static func run(
        _ program: any BinderyProgram.Type, _ arguments: [String], _ environment: [String: String]
    ) async throws {
        guard let source = arguments.first, !source.hasPrefix("--"), !source.isEmpty else {
            throw UsageError("restore needs the backup to take: \(program.name) restore BACKUP [--store sqlite:PATH]")
        }
        let options = try ServeOptions(of: program, arguments: Array(arguments.dropFirst()), environment: environment)
        let target = try options.file(or: "cannot be restored")
        let kept = try await SQLiteStore.restore(from: source, to: target)
        let remark = kept.map { "the store from before is kept as \($0)" } ?? "there was no store before"
        Output.print("\(source) restored to \(target); \(remark)")
    }
}
