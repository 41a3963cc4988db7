import Foundation
import Service
import ViewModels

/// One command of a program: a row of what the command line is read by, and of what the help and the README list.
package struct Command: Sendable {
    /// The words that name it, as in `sessions list`.
    package let name: String
    /// What may stand behind its name, and what it does then, in one sentence.
    package let uses: [(words: String, help: String)]
    /// Its own options, beside those of every command.
    let options: [ProgramOption]
    /// Whether it takes no other options, and nothing from the environment.
    let isPlain: Bool
    /// Whether a word before the options is what it is done to.
    let isOperand: @Sendable (String) -> Bool
    /// How many such words there may be.
    let mostOperands: Int
    /// Does it.
    ///
    /// Throws ``UsageError`` where something is missing, and whatever comes of it.
    let run: @Sendable (ProgramOptions) async throws -> Void

    /// A command of that name.
    package init(
        name: String, uses: [(words: String, help: String)], options: [ProgramOption] = [], isPlain: Bool = false,
        mostOperands: Int = 1, isOperand: @escaping @Sendable (String) -> Bool = { _ in false },
        run: @escaping @Sendable (ProgramOptions) async throws -> Void
    ) {
        (self.name, self.uses, self.options, self.isPlain) = (name, uses, options, isPlain)
        (self.isOperand, self.mostOperands, self.run) = (isOperand, mostOperands, run)
    }

    /// Those of every program, and then those that it alone has.
    static func all(of program: any BinderyProgram.Type) -> [Command] {
        [
            serve, openapi, swiftClient, typeScriptClient, health, listSessions, endSessions, check, backup, restore,
            copy,
        ]
            + ((program as? any ProgramWithCommands.Type)?.commands ?? [])
    }

    static let serve = Command(
        name: "serve", uses: [("[options]", "serve until SIGTERM or SIGINT")], run: Serve.run)

    static let openapi = Command(
        name: "openapi", uses: [("", "print the OpenAPI description")], isPlain: true
    ) { options in
        let document = OpenAPIDocument(catalogue: try options.catalogue, of: options.served)
        try Console.print(String(decoding: document.bytes, as: UTF8.self), end: "")
    }

    /// The command that arguments begin with, and what stands behind its name.
    ///
    /// - Throws: ``UsageError`` where there is none.
    static func read(
        _ arguments: [String], for program: any BinderyProgram.Type
    ) throws -> (command: Command, rest: [String]) {
        let all = all(of: program)
        let names = all.map { $0.name.split(separator: " ").map(String.init) }
        if let place = names.firstIndex(where: { arguments.starts(with: $0) }) {
            return (all[place], Array(arguments.dropFirst(names[place].count)))
        }
        guard let first = arguments.first else {
            let firsts = names.map { $0[0] }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            throw UsageError("say what to do: \(firsts.joined(separator: ", ")); see \(program.name) --help")
        }
        let tasks = names.filter { $0[0] == first }.compactMap(\.last)
        throw UsageError(
            tasks.isEmpty
                ? "\(first) is not a command; see \(program.name) --help"
                : "\(first) needs to know what to do: \(tasks.joined(separator: " or ")); see \(program.name) --help")
    }
}

/// A program with commands beside those of every program, as `bindery` has for whoever writes programs.
package protocol ProgramWithCommands: BinderyProgram {
    /// Those that it alone has, as its help lists them behind the others.
    static var commands: [Command] { get }
}
