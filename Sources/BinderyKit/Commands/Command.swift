import Service

/// One command of a program, for the command line and the help.
package struct Command: Sendable {
    /// The words of its name, as in `client typescript`.
    package let name: String
    /// The operands, as `BACKUP`; brackets mark an optional one.
    let words: String
    let help: String
    let options: [ProgramOption]
    /// Runs it; throws ``UsageError``, or the reason of a failure.
    let run: @Sendable (ProgramOptions) async throws -> Void

    package init(
        _ name: String, _ help: String, words: String = "", options: [ProgramOption] = [],
        run: @escaping @Sendable (ProgramOptions) async throws -> Void
    ) {
        (self.name, self.words, self.help, self.options, self.run) = (name, words, help, options, run)
    }

    /// The commands of every program, then the program's own commands.
    static func all(of program: any BinderyProgram.Type) -> [Command] {
        [serve, check, backup, restore, copy, health, openapi, typeScriptClient]
            + ((program as? any ProgramWithCommands.Type)?.commands ?? [])
    }

    private static let openapi = Command("openapi", "print the OpenAPI description") { options in
        let program = (options.server.program, options.server.programVersion)
        let text = try options.catalogue.openAPI(of: program, options.program.languages)
        try Console.print(String(decoding: text, as: UTF8.self), end: "")
    }

    private static let typeScriptClient = Command(
        "client typescript", "print typings for pages that use /bindery.js"
    ) { options in
        try Console.print(TypeScriptClient(catalogue: try options.catalogue, name: options.program.name).text, end: "")
    }

    /// The end of an error text, which points to the help.
    func hint(for program: any BinderyProgram.Type) -> String { "see \(program.name) \(name) --help" }

    /// Finds the command at the beginning of the arguments; `rest` has the arguments after it.
    ///
    /// - Throws: ``UsageError`` if there is none.
    static func read(
        _ arguments: [String], for program: any BinderyProgram.Type
    ) throws -> (command: Command, rest: [String]) {
        for command in all(of: program) {
            let name = command.name.split(separator: " ").map(String.init)
            if arguments.starts(with: name) { return (command, Array(arguments.dropFirst(name.count))) }
        }
        let first = arguments.first.map { "\"\($0)\" is not a command" } ?? "a command is missing"
        throw UsageError("\(first); see \(program.name) --help")
    }
}

/// A program with commands of its own.
package protocol ProgramWithCommands: BinderyProgram {
    /// The commands; the help lists them after the others.
    static var commands: [Command] { get }
}

/// Why a command failed, in one line.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
