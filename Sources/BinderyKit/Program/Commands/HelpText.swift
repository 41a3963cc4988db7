/// What `--help` prints, and the README lists, of a program's commands and options.
struct HelpText {
    private let program: any BinderyProgram.Type
    private let standard: ProgramOptions

    /// - Throws: ``UsageError`` where the program's store is none.
    init(of program: any BinderyProgram.Type) throws {
        (self.program, standard) = (program, try ProgramOptions(of: program))
    }

    private static let width = 100

    /// The options of single commands, with those.
    private var own: [(command: Command, option: ProgramOption)] {
        Command.all(of: program).flatMap { command in command.options.map { (command, $0) } }
    }

    /// For a terminal.
    var text: String {
        let column = program.name.count + 21
        let uses = Command.all(of: program).flatMap { command in
            command.uses.map { line("  \(program.name) \(command.name) \($0.words)", $0.help, at: column) }
        }
        let common = ProgramOption.all.map { line("  \($0.usage)", help(of: $0), at: 36) }
        let single = own.map { line("  \($1.usage)", "\($0.name): \(help(of: $1))", at: 36) }
        return """
            \(program.title): view models on the server, over HTTP.

            Usage:
            \(uses.joined(separator: "\n"))
            \(line("  \(program.name) --help", "print this; help --markdown prints its tables for a README", at: column))
            \(line("  \(program.name) --version", "print the version", at: column))

            Options, each also as BINDERY_… in the environment (BINDERY_PORT, BINDERY_PUBLIC_SESSION, …):
            \(common.joined(separator: "\n"))

            Options of one command:
            \(single.joined(separator: "\n"))

            A list, as NAME,…, may also be given piece by piece. Without --allowed-hosts, a server that
            listens on loopback is asked as localhost or by an IP address, any other under any name.

            Exit status: 0 done, 1 it could not be done, 64 the command line is wrong.
            """
    }

    /// For a README: a table of commands and one of options.
    var markdown: String {
        let commands = Command.all(of: program).flatMap { command in
            command.uses.map { row(code("\(program.name) \(command.name) \($0.words)"), $0.help) }
        }
        let options = ProgramOption.all.map { option in
            row(
                code(option.usage), code(option.variable), option.inSwift, option.help + option.more,
                option.shown(standard))
        }
        let single = own.map { row(code($1.usage), "–", $1.inSwift, "of `\($0.name)`: \($1.help)", $1.shown(standard)) }
        let head = ["| command | what it does |", "| --- | --- |"]
        let second = ["", "| option | variable | in Swift | meaning | default |", "| --- | --- | --- | --- | --- |"]
        return (head + commands + second + options + single).joined(separator: "\n")
    }

    /// Without what Markdown needs, and with what holds where nothing is said.
    private func help(of option: ProgramOption) -> String {
        let plain = option.help.replacing("`", with: "").replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
        let standard = option.shown(standard)
        return standard.isEmpty ? plain : "\(plain) (\(standard))"
    }

    /// What is used, and what it is for behind it or below it.
    private func line(_ usage: String, _ help: String, at column: Int) -> String {
        var lines = [usage.trimmingSuffix(" ")]
        if lines[0].count + 2 > column { lines.append("") }
        lines[lines.count - 1] += String(repeating: " ", count: column - lines[lines.count - 1].count - 1)
        for word in help.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > Self.width {
                lines.append(String(repeating: " ", count: column - 1))
            }
            lines[lines.count - 1] += " \(word)"
        }
        return lines.joined(separator: "\n")
    }

    private func code(_ text: String) -> String { "`\(text.trimmingSuffix(" "))`" }

    private func row(_ cells: String...) -> String {
        "| " + cells.map { $0.isEmpty ? "–" : $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        last == character ? String(dropLast()) : self
    }
}
