/// One option of a program: a row of what the command line and the environment are read by, and of what the help and the README
/// list.
package struct ProgramOption: Sendable {
    /// The long name, as in `--port`.
    let name: String
    /// The placeholder of the value in the help.
    let value: String
    /// What it says, in one short line of Markdown; the README says ``more`` behind it.
    let help: String
    let more: String
    /// Where code says the same, as the README has it.
    let inSwift: String
    /// Whether the name alone means "on"; a value follows an equals sign.
    let isSwitch: Bool
    /// Whether it may be given several times; its value is then a list with commas, as in the environment.
    let isRepeatable: Bool
    /// What it is at, in words.
    let shown: @Sendable (ProgramOptions) -> String
    /// Takes the value.
    ///
    /// Throws ``UsageError`` where it is not good.
    let apply: @Sendable (String, inout ProgramOptions) throws -> Void

    /// The environment variable that says the same, as in `BINDERY_PORT`; the command line wins.
    var variable: String { "BINDERY_" + name.uppercased().replacing("-", with: "_") }

    /// As it stands on the command line.
    var usage: String { "--\(name)" + (isSwitch ? "[=\(value)]" : " \(value)") }

    /// Those of every command, which are environment variables, too.
    static let all = serving + sessions + callers + bounds + log

    /// What keeps a list's texts apart, on the command line and in the environment.
    package static let separator: Character = ","

    /// One whose value is a member of the options.
    ///
    /// - Parameters:
    ///   - code: where code says the same; nil for the member's own name.
    ///   - show: the value in words.
    ///   - read: the value of a text; throws ``UsageError``.
    package init<Value>(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, Value> & Sendable, _ help: String,
        _ more: String = "", code: String? = nil, isSwitch: Bool = false, isRepeatable: Bool = false,
        show: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) throws -> Value
    ) {
        (self.name, self.value, self.help, self.more) = (name, value, help, more)
        (self.isSwitch, self.isRepeatable) = (isSwitch, isRepeatable)
        inSwift = code ?? "`\("\(path)".replacing("\\ProgramOptions.server.", with: ""))`"
        shown = { show($0[keyPath: path]) }
        apply = { $1[keyPath: path] = try read($0) }
    }
}
