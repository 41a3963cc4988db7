import Entities
import ViewModels

extension Command {
    /// Reads the whole store, for example before a deployment of this build.
    static let check = Command(
        "check", "check the store for damage, and list what this build cannot read; exit 0, or 1",
        options: [.store, .schema]
    ) { options in
        let (catalogue, name) = (try options.catalogue, options.store.shown)
        var (sessions, models) = (0, 0)
        var findings: [ModelUnreadable: Int] = [:]
        let damaged = try options.store.read { entity, _ in
            sessions += 1
            // The user of a session is no view model.
            let parts = entity.parts.filter { !$0.name.hasPrefix("$") }
            models += parts.count
            for part in parts {
                do throws(ModelUnreadable) {
                    let language = Language(entity.language) ?? options.program.languages.standard
                    _ = try catalogue.read(part.name, stored: part.state, version: part.version, language: language)
                } catch {
                    findings[error, default: 0] += 1
                }
            }
        }
        guard let damaged else {
            try Console.print("\(name): there is no store yet; the first `\(options.program.name) serve` makes it")
            return
        }
        try Console.print("\(name): sessions \(sessions), view models \(models)")
        for line in findings.map({ "\($0.key): \($0.value) stored" }).sorted() { try Console.print(line) }
        // Only the view models of this build count.
        let unreadable = findings.filter { catalogue.viewModel($0.key.viewModel) != nil }.values.reduce(0, +)
        guard damaged.isEmpty, unreadable == 0 else {
            throw CommandFailure(
                "this build cannot read \(unreadable) view models and \(damaged.count) whole sessions of \(name)")
        }
        try Console.print("this build can read all its view models")
    }
}
