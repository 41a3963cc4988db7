import Foundation
import Service
import ViewModels

/// One command of a program: a row of what the command line is read by, and of what the help and the README list.
struct Command: Sendable {
    /// The words that name it, as in `sessions list`.
    let name: String
    /// What may stand behind its name, and what it does then, in one sentence.
    let uses: [(words: String, help: String)]
    /// Its own options, beside those of every command.
    var options: [ProgramOption] = []
    /// Whether it takes no other options, and nothing from the environment.
    var isPlain = false
    /// Whether a first word is what it is done to.
    var isOperand: @Sendable (String) -> Bool = { _ in false }
    /// Does it.
    ///
    /// Throws ``UsageError`` where something is missing, and whatever comes of it.
    let run: @Sendable (ProgramOptions) async throws -> Void

    static let all = [serve, openapi, health, listSessions, endSessions, check, backup, restore, copy]

    static let serve = Command(
        name: "serve", uses: [("[options]", "serve until SIGTERM or SIGINT")], run: Serve.run)

    static let openapi = Command(
        name: "openapi", uses: [("", "print the OpenAPI description")], isPlain: true
    ) { options in
        let catalogue = Catalogue(options.program.viewModels, languages: options.program.languages)
        if let fault = catalogue.viewModels.lazy.compactMap(\.fault).first { throw fault }
        FileHandle.standardOutput.write(Data(OpenAPIDocument(catalogue: catalogue).bytes))
    }

    /// The command that arguments begin with, and what stands behind its name.
    ///
    /// - Throws: ``UsageError`` where there is none.
    static func read(_ arguments: [String], for program: String) throws -> (command: Command, rest: [String]) {
        let names = all.map { $0.name.split(separator: " ").map(String.init) }
        if let place = names.firstIndex(where: { arguments.starts(with: $0) }) {
            return (all[place], Array(arguments.dropFirst(names[place].count)))
        }
        guard let first = arguments.first else {
            let firsts = names.map { $0[0] }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            throw UsageError("say what to do: \(firsts.joined(separator: ", ")); see \(program) --help")
        }
        let tasks = names.filter { $0[0] == first }.compactMap(\.last)
        throw UsageError(
            tasks.isEmpty
                ? "\(first) is not a command; see \(program) --help"
                : "\(first) needs to know what to do: \(tasks.joined(separator: " or ")); see \(program) --help")
    }
}
