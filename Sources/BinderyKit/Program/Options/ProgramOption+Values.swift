extension ProgramOption {
    /// A number.
    ///
    /// - Parameter standard: what stands in the help where the number is out of its range, as zero is that leaves it to the server.
    init<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, Number> & Sendable,
        in range: ClosedRange<Number>, else standard: String = "", _ help: String, _ more: String = ""
    ) {
        self.init(name, value, path, help, more) {
            range.contains($0) ? "\($0)" : standard
        } read: {
            try Self.number($0, in: range)
        }
    }

    /// A number that may be missing.
    init(
        _ name: String, _ value: String, _ path: WritableKeyPath<ProgramOptions, Int?> & Sendable,
        in range: ClosedRange<Int>, else standard: String, _ help: String, _ more: String = "", code: String? = nil
    ) {
        self.init(name, value, path, help, more, code: code) {
            $0.map { "\($0)" } ?? standard
        } read: {
            try Self.number($0, in: range)
        }
    }

    /// A number of seconds.
    init(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Duration> & Sendable,
        in range: ClosedRange<Int64> = 1...Int64(Int32.max), _ help: String, _ more: String = ""
    ) {
        self.init(name, "SECONDS", path, help, more) {
            "\($0.components.seconds)"
        } read: {
            .seconds(try Self.number($0, in: range))
        }
    }

    /// On or off.
    init(
        _ name: String, _ path: WritableKeyPath<ProgramOptions, Bool> & Sendable, isSwitch: Bool = false,
        _ help: String,
        _ more: String = "", code: String? = nil
    ) {
        self.init(name, "on|off", path, help, more, code: code, isSwitch: isSwitch) {
            $0 ? "on" : "off"
        } read: { text in
            switch text {
            case "on", "true", "1": return true
            case "off", "false", "0": return false
            default: throw UsageError("takes on or off, not \(text.isEmpty ? "nothing" : text)")
            }
        }
    }

    /// Of commands that print a line for each of many.
    package static let json = ProgramOption("json", \.own.isJSON, isSwitch: true, "an object a line", code: "–")

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
