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
        guard let (name, check) = try await check(options) else { return }
        let damage = check.damage ?? []
        for line in damage { try Console.print("damage: \(line)") }
        guard damage.isEmpty else {
            throw CommandFailure(
                "\(name) is damaged; restore a backup: \(options.program.name) restore BACKUP --store sqlite:\(name)")
        }
        try Console.print("\(name): \(check)")
        let models = check.models
        for finding in models.findings { try Console.print("\(finding)") }
        guard models.findings.isEmpty else {
            throw CommandFailure(
                "\(models.unreadable) of \(models.models) models in \(name) cannot be read by this build")
        }
        try Console.print("\(name): \(readable(models))")
    }

    /// What there is to say where all models can be read.
    static func readable(_ models: ModelCheck) -> String {
        let own =
            switch models.models {
            case 0: "there are no models for this build to read"
            case 1: "this build reads the only model"
            default: "this build reads all \(models.models) models"
            }
        return switch models.others {
        case 0: own
        case 1: "\(own); 1 of a view model that it does not have is left as it is"
        default: "\(own); \(models.others) of view models that it does not have are left as they are"
        }
    }

    /// - Returns: what the store is called, and how it stands; nil where there is none yet, and that was said.
    private static func check(_ options: ProgramOptions) async throws -> (name: String, StoreCheck)? {
        let viewModels = try options.catalogue.viewModels
        // As before the first deploy.
        func sayThatThereIsNone(in name: String) throws {
            try Console.print("\(name): there is no store yet; the first `\(options.program.name) serve` makes it")
        }
        guard case .postgres(let uri) = options.store else {
            let path = try options.file(or: "has nothing to check")
            guard !SQLiteStore.isNotMadeYet(path) else {
                try sayThatThereIsNone(in: path)
                return nil
            }
            return (path, try await SQLiteStore.check(path, for: viewModels))
        }
        do {
            return (
                options.store.shown, try await PostgresStore.check(uri: uri, schema: options.schema, for: viewModels)
            )
        } catch let error where error.code == .missing {
            try sayThatThereIsNone(in: options.store.shown)
            return nil
        }
    }
}
