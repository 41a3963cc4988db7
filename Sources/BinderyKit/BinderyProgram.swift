import Foundation
import Service
import ViewModels

/// A program that hosts view models, with the commands and options of `bindery`, which is one itself.
///
/// ```swift
/// @main
/// struct Tickets: BinderyProgram {
///     static let viewModels: [Declaration] = [.hosting(TicketMachine.self)]
/// }
/// ```
/// `Tickets serve` keeps its sessions in `Tickets.db`; `Tickets --help` lists the commands. A program with a main function of
/// its own embeds a `BinderyServer` instead.
public protocol BinderyProgram: SendableMetatype {
    /// The view models, in the order in which they are listed.
    static var viewModels: [Declaration] { get }
    /// The languages of the view models, the default first; English alone unless declared.
    static var languages: Languages { get }
    /// The name in the help, the log, `GET /` and the OpenAPI description; the name of the type unless declared.
    static var name: String { get }
    /// The program's own version; empty, the default, for none.
    static var version: String { get }
    /// The defaults, where neither the environment nor the command line sets a value.
    static var options: BinderyServer.Options { get }
    /// Where sessions are kept where nothing else is said; a file named after the program unless declared.
    static var store: Store { get }
}

extension BinderyProgram {
    /// English alone.
    public static var languages: Languages { Languages(.english) }
    /// The name of the type.
    public static var name: String { String(describing: Self.self) }
    /// None.
    public static var version: String { "" }
    /// Those of ``BinderyServer``.
    public static var options: BinderyServer.Options { BinderyServer.Options() }
    /// A file in the working directory.
    public static var store: Store { .sqlite("\(name).db") }

    /// Does what the command line says; exits with 1 where that cannot be done, and with 64 where the command line is wrong.
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

    /// Does what a command line says.
    ///
    /// - Throws: ``UsageError``, ``AlreadyLogged``, or why it cannot be done.
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

    /// Name and version, and Bindery's version where that is another.
    static var title: String {
        let own = version.isEmpty ? name : "\(name) \(version)"
        return version == Version.current ? own : "\(own) (Bindery \(Version.current))"
    }
}
