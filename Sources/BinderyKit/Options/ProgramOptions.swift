import Events
import PostgresStore
import Service
import ViewModels

/// The options of a command, as they were given.
package struct ProgramOptions: Sendable {
    package let program: any BinderyProgram.Type
    /// The words that are no options, as a file or a URL.
    package private(set) var operands: [String] = []
    /// The values of options without a property here, by name.
    private var texts: [String: String] = [:]
    var server: BinderyServer.Options
    var store: Store
    /// Nil for text if standard error is a terminal, else JSON.
    var log: LogFormat?
    var logLevel = Event.Level.info

    /// The value of an option that a command declares by name alone; nil if it is not given.
    package subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    init(of program: any BinderyProgram.Type) {
        (self.program, server, store) = (program, program.options, program.store)
        server.program = program.name
        server.programVersion = program.version.isEmpty ? "0.0.0" : program.version
    }

    /// Reads the environment, and then the words after the command's name, which take precedence.
    ///
    /// - Throws: ``UsageError``.
    init(
        of program: any BinderyProgram.Type, _ command: Command, _ words: [String], environment: [String: String]
    ) throws {
        self.init(of: program)
        for option in command.options where option.hasVariable {
            if let text = environment[option.variable], !text.isEmpty { try take(option, text, as: option.variable) }
        }
        let names = command.words.split(separator: " ")
        var words = words[...]
        var lists: [String: [String]] = [:]
        while let word = words.popFirst() {
            guard word.hasPrefix("-") else {
                guard operands.count < names.count, !word.isEmpty else {
                    throw UsageError("\"\(word)\" is not expected here; \(command.hint(for: program))")
                }
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = command.options.first(where: { "--\($0.name)" == parts[0] }) else {
                throw UsageError("\(parts[0]) is not an option of \(command.name); \(command.hint(for: program))")
            }
            guard var text = parts.count > 1 ? String(parts[1]) : option.isSwitch ? "on" : words.popFirst() else {
                throw UsageError("\(word) needs a value")
            }
            if option.isList {
                lists[option.name, default: []].append(text)
                text = lists[option.name, default: []].joined(separator: ",")
            }
            try take(option, text, as: "--\(option.name)")
        }
        guard operands.count >= names.count(where: { !$0.hasPrefix("[") }) else {
            throw UsageError("\(command.name) needs \(command.words); \(command.hint(for: program))")
        }
    }

    private mutating func take(_ option: ProgramOption, _ text: String, as name: String) throws {
        do { try option.take(text, &self) } catch let error as UsageError {
            throw UsageError("\(name) \(error.message)")
        }
        // For the log, without a password.
        let isURI = text.hasPrefix("postgres")
        server.given.removeAll { $0.hasPrefix("\(option.name)=") }
        server.given.append("\(option.name)=\(isURI ? PostgresStore.description(of: text) : text)")
    }
}

extension ProgramOptions {
    /// The checked declarations.
    ///
    /// - Throws: `DeclarationFault`.
    var catalogue: Catalogue { get throws { try BinderyServer.catalogue(of: program.viewModels) } }

    /// The file of the store, for a command that works on files alone.
    ///
    /// - Parameter remark: the end of an error text that begins with the kind of another store.
    /// - Throws: ``UsageError``.
    func file(orSay remark: String) throws -> String {
        guard case .sqlite(let path) = store.place else {
            let subject = store == .memory ? "a store in memory" : "a store in PostgreSQL"
            throw UsageError("\(subject) \(remark); name a file with --store sqlite:PATH")
        }
        return path
    }
}

/// An error in the command line, in one line.
package struct UsageError: Error, Equatable {
    package let message: String

    /// Takes a line; a password in a URI becomes three dots.
    package init(_ message: String) {
        self.message = message.replacing(#/(//[^\s:/@]*):\S*@/#) { "\($0.1):…@" }
    }
}
