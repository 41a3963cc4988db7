/// The text that `--help` prints.
struct HelpText {
    private static let width = 100
    private let program: any BinderyProgram.Type

    init(of program: any BinderyProgram.Type) { self.program = program }

    /// The commands of the program.
    var text: String {
        let commands = Command.all(of: program).map { ($0.usage, $0.help) }
        return """
            \(program.title): view models on the server, over HTTP.

            Commands:
            \(table(commands))

            \(program.name) COMMAND --help prints the options of a command, \(program.name) --version the version.
            Exit status: 0 success, 1 failure, 64 wrong command line.
            """
    }

    /// One command and its options, with their defaults.
    func text(of command: Command) -> String {
        let standard = ProgramOptions(of: program)
        let options = command.options.map { option in
            let shown = option.shown(standard)
            return (option.usage, shown.isEmpty ? option.help : "\(option.help) (\(shown))")
        }
        let isServer = command.options.contains(where: \.hasVariable)
        let heading =
            isServer
            ? "Options, each also as BINDERY_… in the environment (--max-body as BINDERY_MAX_BODY):" : "Options:"
        let usage = "Usage: \(program.name) \(command.usage)" + (options.isEmpty ? "" : " [options]")
        return "\(program.title)\n\n\(usage)\n\n\(command.help)"
            + (options.isEmpty ? "" : "\n\n\(heading)\n\(table(options))")
    }

    /// Two columns; the second one is broken into lines.
    private func table(_ rows: [(String, String)]) -> String {
        let column = 4 + (rows.map(\.0.count).filter { $0 < 32 }.max() ?? 0)
        return rows.map { name, help in
            var lines = ["  \(name)"]
            if lines[0].count + 2 > column { lines.append("") }
            lines[lines.count - 1] += String(repeating: " ", count: column - lines[lines.count - 1].count - 1)
            for word in help.split(separator: " ") {
                if lines[lines.count - 1].count + 1 + word.count > Self.width {
                    lines.append(String(repeating: " ", count: column - 1))
                }
                lines[lines.count - 1] += " \(word)"
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension Command {
    /// The name and the operands.
    fileprivate var usage: String { words.isEmpty ? name : "\(name) \(words)" }
}
