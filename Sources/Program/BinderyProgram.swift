import Foundation
public import Service
public import ViewModels

/// A program that hosts view models, with the commands, options and exit statuses of `bindery`, which is one itself.
///
/// ```swift
/// @main
/// struct Tickets: BinderyProgram {
///     static let viewModels: [Declaration] = [.hosting(TicketMachine.init(model:))]
/// }
/// ```
/// `Tickets serve` keeps the sessions in `Tickets.db`, and `Tickets --help` says what else there is. Whoever has a main program of
/// his own embeds a ``BinderyServer`` instead.
public protocol BinderyProgram: SendableMetatype {
    /// What is hosted, in the order in which it is listed.
    static var viewModels: [Declaration] { get }
    /// What the program is called, in its help, its complaints and the log; default: the name of its type.
    static var name: String { get }
    /// The version that `--version`, the help and the log say beside Bindery's; empty, the default, for none.
    static var version: String { get }
    /// What holds where neither the environment nor the command line say anything.
    static var options: BinderyServer.Options { get }
    /// Where sessions are kept where `--store` says nothing, as it would say it; default: a file named after the program.
    static var store: String { get }
}

extension BinderyProgram {
    /// The name of the program's type.
    public static var name: String { String(describing: Self.self) }
    /// None.
    public static var version: String { "" }
    /// Those of ``BinderyServer``.
    public static var options: BinderyServer.Options { BinderyServer.Options() }
    /// A file in the directory that the program is started in.
    public static var store: String { "sqlite:\(name).db" }

    /// Reads the command line and does what it says; exits with 1 where that could not be done, and with 64 where the command line
    /// is wrong.
    public static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
        } catch let error as UsageError {
            Output.complain("\(name): \(error.message)")
            exit(64)  // EX_USAGE of sysexits(3)
        } catch is AlreadyLogged {
            exit(1)
        } catch {
            Output.complain("\(name): \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String], _ environment: [String: String]) async throws {
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") { return Output.print(HelpText.text(of: Self.self)) }
        func options(_ arguments: [String] = rest) throws -> ServeOptions {
            try ServeOptions(of: Self.self, arguments: arguments, environment: environment)
        }
        switch arguments.first {
        case "serve":
            try await Serve.run(Self.self, options())
        case "openapi":
            guard rest.isEmpty else { throw UsageError("openapi takes no options") }
            FileHandle.standardOutput.write(Data(OpenAPIDocument(catalogue: Catalogue(viewModels)).bytes))
        case "backup":
            try await Backup.run(Self.self, rest, environment)
        case "copy":
            try await Copy.run(Self.self, rest, environment)
        case "restore":
            try await Restore.run(Self.self, rest, environment)
        case "check":
            try await Check.run(Self.self, options())
        case "health":
            let isReady = rest.contains("--ready")
            try Health.check(options(rest.filter { $0 != "--ready" }), path: isReady ? "/readyz" : "/livez")
        case "sessions":
            try SessionsCommand(Self.self, rest, environment).run()
        case "--help", "-h", "help":
            Output.print(HelpText.text(of: Self.self))
        case "--version":
            Output.print(title)
        case nil:
            throw UsageError(
                "say what to do: serve, openapi, health, sessions, check, backup, restore or copy; see \(name) --help")
        case let command?:
            throw UsageError("\(command) is not a command; see \(name) --help")
        }
    }

    /// The name and the version, and Bindery's where that is another.
    static var title: String {
        let own = version.isEmpty ? name : "\(name) \(version)"
        return version == Version.current ? own : "\(own) (Bindery \(Version.current))"
    }
}
