import Foundation
import HTTP
import Samples
import Service
import ViewModels

/// The program: reads the command line and runs what it names.
@main
enum Bindery {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
        } catch let error as UsageError {
            Output.complain(error.message)
            exit(64)  // EX_USAGE of sysexits(3)
        } catch is AlreadyLogged {
            exit(1)
        } catch {
            Output.complain(String(describing: error))
            exit(1)
        }
    }

    private static func run(_ arguments: [String], _ environment: [String: String]) async throws {
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") { return Output.print(HelpText.text) }
        switch arguments.first {
        case "serve":
            try await Serve.run(ServeOptions(arguments: rest, environment: environment))
        case "openapi":
            guard rest.isEmpty else { throw UsageError("openapi takes no options") }
            FileHandle.standardOutput.write(Data(OpenAPIDocument(catalogue: .samples).bytes))
        case "backup":
            try await Backup.run(rest, environment)
        case "copy":
            try await Copy.run(rest, environment)
        case "restore":
            try await Restore.run(rest, environment)
        case "check":
            try await Check.run(ServeOptions(arguments: rest, environment: environment))
        case "health":
            let isReady = rest.contains("--ready")
            let options = try ServeOptions(arguments: rest.filter { $0 != "--ready" }, environment: environment)
            try Health.check(options, path: isReady ? "/readyz" : "/livez")
        case "sessions":
            try SessionsCommand(rest, environment).run()
        case "--help", "-h", "help":
            Output.print(HelpText.text)
        case "--version":
            Output.print("bindery \(Version.current)")
        case nil:
            throw UsageError(
                "say what to do: serve, openapi, health, sessions, check, backup, restore or copy; see bindery --help")
        case let command?:
            throw UsageError("\(command) is not a command; see bindery --help")
        }
    }
}
