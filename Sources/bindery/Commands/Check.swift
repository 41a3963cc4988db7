import SQLiteStore
import ViewModels

/// `bindery check`: tells, before a deploy, which stored models this build could not read.
enum Check {
    /// Prints a line for each view model and reason.
    ///
    /// - Throws: ``UsageError``; ``CommandFailure`` where a model cannot be read; `SQLiteStoreError`.
    static func run(_ options: ServeOptions, of viewModels: [Declaration] = Catalogue.standard.viewModels) async throws
    {
        let path = try options.file(or: "has nothing to check")
        let check = try await SQLiteStore.check(path, for: viewModels)
        for finding in check.findings { Output.print("\(finding)") }
        guard check.findings.isEmpty else {
            throw CommandFailure(
                "\(check.unreadable) of \(check.models) models in \(path) cannot be read by this build")
        }
        let others =
            check.others == 0 ? "" : "; \(check.others) of view models that it does not have are left as they are"
        Output.print("\(path): this build reads all \(check.models) models\(others)")
    }
}
