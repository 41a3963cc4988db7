import PostgresStore
import SQLiteStore
import Sessions
import ViewModels

extension Command {
    /// Tells whether the store is sound, and, before a deploy, which stored models this build could not read: a line for the store,
    /// and one for each view model and reason.
    static let check = Command(
        name: "check", uses: [("[options]", "tell which stored models this build cannot read; exit 0, or 1")]
    ) { options in
        let (name, check) = try await check(options)
        let damage = check.damage ?? []
        for line in damage { Console.print("damage: \(line)") }
        guard damage.isEmpty else {
            throw CommandFailure(
                "\(name) is damaged; restore a backup: \(options.program.name) restore BACKUP --store sqlite:\(name)")
        }
        Console.print("\(name): \(check)")
        let models = check.models
        for finding in models.findings { Console.print("\(finding)") }
        guard models.findings.isEmpty else {
            throw CommandFailure(
                "\(models.unreadable) of \(models.models) models in \(name) cannot be read by this build")
        }
        let others =
            models.others == 0 ? "" : "; \(models.others) of view models that it does not have are left as they are"
        Console.print("\(name): this build reads all \(models.models) models\(others)")
    }

    /// - Returns: what the store is called, and how it stands.
    private static func check(_ options: ProgramOptions) async throws -> (name: String, StoreCheck) {
        let viewModels = options.program.viewModels
        if let fault = Catalogue(viewModels, languages: options.program.languages).fault { throw fault }
        guard case .postgres(let uri) = options.store else {
            let path = try options.file(or: "has nothing to check")
            return (path, try await SQLiteStore.check(path, for: viewModels))
        }
        return (options.store.shown, try await PostgresStore.check(uri: uri, schema: options.schema, for: viewModels))
    }
}
