/// One option of a command: read from the command line, or from the environment, and listed in the help.
package struct ProgramOption: Sendable {
    /// The long name, as in `--port`.
    let name: String
    /// The placeholder of the value in the help.
    let value: String
    let help: String
    /// Whether an environment variable can set it.
    let hasVariable: Bool
    /// Whether the name alone means "on"; a value follows an equals sign.
    let isSwitch: Bool
    /// Whether it may be given several times, or once with commas.
    let isList: Bool
    /// The value as text; empty for none.
    let shown: @Sendable (ProgramOptions) -> String
    /// Takes a value; throws ``UsageError`` for a wrong one.
    let take: @Sendable (String, inout ProgramOptions) throws -> Void

    /// The environment variable, as in `BINDERY_PORT`; the command line wins.
    var variable: String { "BINDERY_" + name.uppercased().replacing("-", with: "_") }
    /// The option as the help writes it.
    var usage: String { isSwitch ? "--\(name)" : "--\(name) \(value)" }

    /// Declares an option that a command reads by its name (``ProgramOptions/subscript(_:)``).
    package init(
        _ name: String, _ value: String, _ help: String, isSwitch: Bool = false, isList: Bool = false
    ) {
        (self.name, self.value, self.help, hasVariable, shown) = (name, value, help, false, { _ in "" })
        (self.isSwitch, self.isList) = (isSwitch, isList)
        take = { $1[name] = $0 }
    }

    /// Declares an option whose value is a member of the options.
    init<Value>(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, Value> & Sendable, _ help: String,
        isSwitch: Bool = false, isList: Bool = false, show: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) throws -> Value
    ) {
        (self.name, self.value, self.help, hasVariable) = (name, value, help, true)
        (self.isSwitch, self.isList) = (isSwitch, isList)
        shown = { show($0[keyPath: path]) }
        take = { $1[keyPath: path] = try read($0) }
    }
}

extension ProgramOption {
    /// A number.
    ///
    /// - Parameter standard: the help shows it for a default out of the range, which leaves the choice to the server.
    static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Number> & Sendable, _ range: ClosedRange<Number>,
        _ help: String, else standard: String = "", _ value: String = "N"
    ) -> ProgramOption {
        ProgramOption(name, value, path, help) {
            range.contains($0) ? "\($0)" : standard
        } read: {
            try read($0, in: range)
        }
    }

    static func seconds(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Duration> & Sendable, _ range: ClosedRange<Int64>,
        _ help: String
    ) -> ProgramOption {
        ProgramOption(name, "SECONDS", path, help) {
            "\($0.components.seconds)"
        } read: {
            .seconds(try read($0, in: range))
        }
    }

    static func flag(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Bool> & Sendable, _ help: String, isSwitch: Bool = false
    ) -> ProgramOption {
        ProgramOption(name, "on|off", path, help, isSwitch: isSwitch) {
            $0 ? "on" : "off"
        } read: { text in
            guard ["on", "off"].contains(text) else { throw UsageError("takes on or off, not \(text)") }
            return text == "on"
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Choice> & Sendable, _ help: String
    ) -> ProgramOption {
        let words = Choice.allCases.map(\.rawValue).joined(separator: "|")
        return ProgramOption(name, words, path, help) {
            $0.rawValue
        } read: { text in
            guard let choice = Choice(rawValue: text) else { throw UsageError("takes \(words), not \(text)") }
            return choice
        }
    }

    /// A list.
    ///
    /// - Parameters:
    ///   - form: examples of an element, for the error text.
    ///   - read: makes an element of a text; nil if it is wrong.
    ///   - make: makes the value of all elements.
    static func list<Element, Value>(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, Value> & Sendable, _ help: String,
        of form: String, _ read: @escaping @Sendable (String) -> Element?,
        make: @escaping @Sendable ([Element]) -> Value
    ) -> ProgramOption {
        ProgramOption(name, value, path, help, isList: true) { _ in
            ""
        } read: { text in
            make(
                try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                    let part = String(part.trimmingPrefix { $0 == " " })
                    guard let element = read(part) else { throw UsageError("takes \(form), not \(part)") }
                    return element
                })
        }
    }

    static func text(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, String?> & Sendable, _ help: String
    ) -> ProgramOption {
        ProgramOption(name, value, path, help) {
            $0 ?? ""
        } read: {
            $0
        }
    }

    static func read<Number: FixedWidthInteger>(_ text: String, in range: ClosedRange<Number>) throws -> Number {
        // Swift would also accept a plus sign.
        guard !text.hasPrefix("+"), let number = Number(text), range.contains(number) else {
            throw UsageError("takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }
}
