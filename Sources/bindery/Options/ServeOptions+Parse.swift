import Foundation

extension ServeOptions {
    /// Reads the environment and then the command line, which wins.
    ///
    /// - Parameter arguments: what stands behind `serve`.
    /// - Throws: ``UsageError``.
    init(arguments: [String], environment: [String: String]) throws {
        for option in ServeOption.all {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            if let variable = IgnoredVariable(option, text) {
                ignored.append(variable)
                continue
            }
            try apply(option, text, as: option.variable)
        }
        ignored += IgnoredVariable.all(in: environment)
        let given = try LongOptions.parse(arguments, ServeOption.all.map { ($0.name, !$0.isSwitch) })
        var lists: [Int: [String]] = [:]
        for (index, text) in given {
            let option = ServeOption.all[index]
            // Given again, a list goes on; as a whole it takes the place of the environment's.
            if option.isRepeatable { lists[index, default: []].append(text ?? "") }
            let whole = lists[index]?.joined(separator: String(ServeOption.separator))
            try apply(option, whole ?? text ?? "on", as: "--\(option.name)")
        }
    }

    private mutating func apply(_ option: ServeOption, _ text: String, as name: String) throws {
        do {
            try option.apply(text, &self)
            // Given again, the later holds.
            server.given.removeAll { $0.hasPrefix("\(option.name)=") }
            server.given.append("\(option.name)=\(text)")
        } catch let error as UsageError {
            throw UsageError("\(name) \(error.message)")
        }
    }
}
