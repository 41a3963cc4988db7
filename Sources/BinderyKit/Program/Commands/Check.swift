import SQLiteStore

extension Command {
    /// Tells whether the store is sound, and, before a deploy, which stored models this build could not read: a line for the file,
    /// and one for each view model and reason.
    static let check = Command(
        name: "check", uses: [("[options]", "tell which stored models this build cannot read; exit 0, or 1")]
    ) { options in
        let path = try options.file(or: "has nothing to check")
        let check = try await SQLiteStore.check(path, for: options.program.viewModels)
        for line in check.damage { Console.print("damage: \(line)") }
        guard check.damage.isEmpty else {
            throw CommandFailure(
                "\(path) is damaged; restore a backup: \(options.program.name) restore BACKUP --store sqlite:\(path)")
        }
        Console.print("\(path): \(check)")
        let models = check.models
        for finding in models.findings { Console.print("\(finding)") }
        guard models.findings.isEmpty else {
            throw CommandFailure(
                "\(models.unreadable) of \(models.models) models in \(path) cannot be read by this build")
        }
        let others =
            models.others == 0 ? "" : "; \(models.others) of view models that it does not have are left as they are"
        Console.print("\(path): this build reads all \(models.models) models\(others)")
    }
}
