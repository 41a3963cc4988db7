/// One option of a program, on the command line and in the environment.
struct ServeOption: Sendable {
    /// The long name, as in `--port`.
    let name: StaticString
    /// The placeholder of the value in the help.
    let value: String
    let help: String
    /// Whether the name alone means "on"; a value follows an equals sign.
    var isSwitch = false
    /// Whether it may be given several times; its value is then a list with commas, as in the environment.
    var isRepeatable = false
    /// Takes the value.
    ///
    /// Throws ``UsageError`` where it is not good.
    let apply: @Sendable (String, inout ServeOptions) throws -> Void

    /// The environment variable that says the same, as in `BINDERY_PORT`; the command line wins.
    var variable: String { "BINDERY_" + name.description.uppercased().replacing("-", with: "_") }

    static let all = serving + sessions + callers + bounds + log

    /// What keeps a list's texts apart, on the command line and in the environment.
    static let separator: Character = ","

    static func number<Number: FixedWidthInteger & Sendable>(
        _ text: String, in range: ClosedRange<Number>
    ) throws -> Number {
        // Swift would also take a plus sign.
        guard !text.hasPrefix("+"), let number = Number(text), range.contains(number) else {
            let given = text.isEmpty ? "nothing" : text
            throw UsageError("takes a number from \(range.lowerBound) to \(range.upperBound), not \(given)")
        }
        return number
    }

    static func isOn(_ text: String) throws -> Bool {
        switch text {
        case "on", "true", "1": true
        case "off", "false", "0": false
        default: throw UsageError("takes on or off, not \(text.isEmpty ? "nothing" : text)")
        }
    }

    /// The elements of a list, each of them read.
    ///
    /// - Parameter form: what an element looks like, for the complaint about one that does not.
    static func list<Element>(_ text: String, of form: String, _ read: (Substring) -> Element?) throws -> [Element] {
        try text.split(separator: separator, omittingEmptySubsequences: false).map { part in
            let element = part.trimmingPrefix { $0 == " " }
            guard let value = read(element) else {
                throw UsageError("takes \(form), not \(element.isEmpty ? "nothing" : element)")
            }
            return value
        }
    }
}
