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
    /// The languages they speak, the default first; English alone where nothing is said.
    static var languages: Languages { get }
    /// What the program is called, in its help, its complaints and the log, in `GET /` and in the OpenAPI description; default: the
    /// name of its type. Not empty, and without a `/`.
    static var name: String { get }
    /// The version that `--version`, the help and the log say beside Bindery's, and `GET /` and the description; empty, the default,
    /// for none, which the last two call 0.0.0.
    static var version: String { get }
    /// What holds where neither the environment nor the command line say anything.
    static var options: BinderyServer.Options { get }
    /// Where sessions are kept where `--store` says nothing, as it would say it; default: a file named after the program.
    static var store: String { get }
}

extension BinderyProgram {
    /// English alone.
    public static var languages: Languages { Languages(.english) }
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
        await main(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
    }

    static func main(_ arguments: [String], _ environment: [String: String]) async {
        // Most commands ask the types for their shapes, whose code may trap.
        LogWriter(format: .text).reportCrashes()
        do {
            try await run(arguments, environment)
        } catch let error as UsageError {
            Console.complain("\(name): \(error.message)")
            exit(64)  // EX_USAGE of sysexits(3)
        } catch is AlreadyLogged {
            exit(1)
        } catch {
            Console.complain("\(name): \(error)")
            exit(1)
        }
    }

    /// Does what a command line says.
    ///
    /// - Throws: ``UsageError``; ``AlreadyLogged``; whatever kept the command from being carried out.
    static func run(_ arguments: [String], _ environment: [String: String]) async throws {
        guard !name.allSatisfy(\.isWhitespace), !name.contains("/") else {
            throw CommandFailure(
                "the program \(Self.self) cannot be called \"\(name)\", since its store is a file of that name: give it a name "
                    + "that is not empty and has no /")
        }
        guard let text = try help(for: arguments) else {
            let (command, rest) = try Command.read(arguments, for: Self.self)
            return try await command.run(
                ProgramOptions(of: Self.self, command, arguments: rest, environment: environment))
        }
        try Console.print(text)
    }

    /// What is to be read of the program itself; nil where it is to do something.
    private static func help(for arguments: [String]) throws -> String? {
        if arguments == ["help", "--markdown"] { return try HelpText(of: Self.self).markdown }
        if ["help", "-h"].contains(arguments.first) || arguments.contains("--help") {
            return try HelpText(of: Self.self).text
        }
        return arguments.first == "--version" ? title : nil
    }

    /// The name and the version, and Bindery's where that is another.
    static var title: String {
        let own = version.isEmpty ? name : "\(name) \(version)"
        return version == Version.current ? own : "\(own) (Bindery \(Version.current))"
    }
}
