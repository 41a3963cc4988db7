import Foundation
import Service
import ViewModels

/// A program that hosts view models, with the commands and options of `bindery`.
///
/// ```swift
/// @main
/// struct Tickets: BinderyProgram {
///     static let viewModels: [Declaration] = [.hosting(TicketMachine.self)]
/// }
/// ```
/// `Tickets serve` keeps its sessions in `Tickets.db`; `Tickets --help` lists the commands. If a program has its own main
/// function, it embeds a `BinderyServer` instead.
public protocol BinderyProgram: SendableMetatype {
    /// The view models, in the order of the list.
    static var viewModels: [Declaration] { get }
    /// The languages of the view models, the default first; by default English alone.
    static var languages: Languages { get }
    /// The name in the help, the log, `GET /` and the OpenAPI description; by default the name of the type.
    static var name: String { get }
    /// The program's own version; empty, the default, for none.
    static var version: String { get }
    /// The defaults for options that neither the environment nor the command line sets.
    static var options: BinderyServer.Options { get }
    /// The store if no option names one; by default a file with the name of the program.
    static var store: Store { get }
}

extension BinderyProgram {
    /// English alone.
    public static var languages: Languages { Languages(.english) }
    /// The name of the type.
    public static var name: String { String(describing: Self.self) }
    /// Empty.
    public static var version: String { "" }
    /// The defaults of ``BinderyServer``.
    public static var options: BinderyServer.Options { BinderyServer.Options() }
    /// A file in the working directory.
    public static var store: Store { .sqlite("\(name).db") }

    /// Runs the command line; exits with 1 if that fails, and with 64 if the command line is wrong.
    public static func main() async {
        await main(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment)
    }

    static func main(_ arguments: [String], _ environment: [String: String]) async {
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

    /// Runs a command line.
    ///
    /// - Throws: ``UsageError``, ``AlreadyLogged``, or the error of the command.
    static func run(_ arguments: [String], _ environment: [String: String]) async throws {
        switch arguments.first {
        case "--help", "-h", "help": try Console.print(HelpText(of: Self.self).text)
        case "--version": try Console.print(title)
        default:
            let (command, rest) = try Command.read(arguments, for: Self.self)
            if rest.contains("--help") {
                try Console.print(HelpText(of: Self.self).text(of: command))
            } else {
                try await command.run(ProgramOptions(of: Self.self, command, rest, environment: environment))
            }
        }
    }

    /// Name and version, and Bindery's version if it is different.
    static var title: String {
        let own = version.isEmpty ? name : "\(name) \(version)"
        return version == Version.current ? own : "\(own) (Bindery \(Version.current))"
    }
}
