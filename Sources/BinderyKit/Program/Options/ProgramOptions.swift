import Events
import Foundation
import PostgresStore
import SQLiteStore
import Service
import ViewModels

/// What a program was told.
package struct ProgramOptions: Sendable {
    package let program: any BinderyProgram.Type
    var server: BinderyServer.Options
    /// Text where standard error is a terminal, JSON otherwise, if nothing was said.
    var log: LogFormat?
    /// The least that is logged.
    var logLevel = Event.Level.info
    var store: StoreChoice
    var durability = SQLiteStore.Durability.power
    var schema = SchemaName.standard
    /// Environment variables that look like options, and are none.
    var ignored: [IgnoredVariable] = []
    /// What the command is done to, as a file or a URL.
    package var operands: [String] = []
    /// The first of them; nil where nothing is named.
    package var operand: String? { operands.first }
    /// What single commands are told (``Command/options``).
    package var own = Own()

    package struct Own: Sendable {
        var isReady = false
        package var isJSON = false
        var unusedFor: Int?
        var keep: Int?
        var from: StoreChoice?
        var to: StoreChoice?
        package var library: String?
        package var topics: [String] = []
        package var body: String?
        package var key: String?
        package var tokenFile: String?
    }
}

extension ProgramOptions {
    /// What holds for a program where nobody says anything.
    ///
    /// - Throws: ``UsageError`` where its store is none.
    init(of program: any BinderyProgram.Type) throws {
        self.program = program
        do { store = try StoreChoice(program.store) } catch let error as UsageError {
            throw UsageError("\(program.name).store \(error.message)")
        }
        server = program.options
        server.program = program.name
        server.programVersion = program.version.isEmpty ? nil : program.version
    }

    /// Reads the environment and then the command line, which wins.
    ///
    /// - Parameter arguments: what stands behind the command's name.
    /// - Throws: ``UsageError``.
    init(
        of program: any BinderyProgram.Type, _ command: Command = .serve, arguments: [String],
        environment: [String: String]
    ) throws {
        try self.init(of: program)
        let options = command.options + (command.isPlain ? [] : ProgramOption.all)
        if !command.isPlain { try apply(environment) }
        var lists: [String: [String]] = [:]
        var words = arguments[...]
        while operands.count < command.mostOperands, let word = words.first, command.isOperand(word) {
            operands.append(words.removeFirst())
        }
        // Two hyphens end the options, if anything is behind them.
        while let word = words.popFirst(), !(word == "--" && words.isEmpty) {
            guard word.hasPrefix("-"), word != "-", word != "--" else {
                let word = word == "--" ? words.first ?? word : word
                throw UsageError("\(word.isEmpty ? "an empty word" : word) is not expected here; options begin with --")
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options.first(where: { "--\($0.name)" == parts[0] }) else {
                throw UsageError("\(word) is not an option of \(command.name); see \(program.name) --help")
            }
            guard let text = parts.count > 1 ? String(parts[1]) : option.isSwitch ? "on" : words.popFirst() else {
                throw UsageError("\(word) needs a value")
            }
            // Given again, a list goes on; as a whole it takes the place of the environment's.
            if option.isRepeatable { lists[option.name, default: []].append(text) }
            let whole = lists[option.name]?.joined(separator: String(ProgramOption.separator))
            try apply(option, whole ?? text, as: "--\(option.name)")
        }
        if case .memory = store, server.sessions.memoryBytes != nil {
            throw UsageError(
                "--max-memory has sessions leave memory for the store, and --store memory is in it: name a file with --store "
                    + "sqlite:PATH")
        }
    }

    private mutating func apply(_ environment: [String: String]) throws {
        for option in ProgramOption.all {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            if let variable = IgnoredVariable(option, text) {
                ignored.append(variable)
                continue
            }
            try apply(option, text, as: option.variable)
        }
        ignored += IgnoredVariable.all(in: environment)
    }

    private mutating func apply(_ option: ProgramOption, _ text: String, as name: String) throws {
        do {
            try option.apply(text, &self)
            // Given again, the later holds.
            server.given.removeAll { $0.hasPrefix("\(option.name)=") }
            // Of the store no password.
            server.given.append("\(option.name)=\(option.name == "store" ? store.shown : text)")
        } catch let error as UsageError {
            throw UsageError("\(name) \(error.message)")
        }
    }
}

extension ProgramOptions {
    /// The file of the store, for a command that needs one.
    ///
    /// - Parameter complaint: what is said of a store in memory.
    /// - Throws: ``UsageError`` where the store is none.
    func file(or complaint: String) throws -> String {
        switch store {
        case .sqlite(let path): return path
        case .memory: throw UsageError("a store in memory \(complaint); name a file with --store sqlite:PATH")
        case .postgres:
            throw UsageError(
                "a store in PostgreSQL \(complaint) by this command, but by PostgreSQL's own (docs/replicas.md); "
                    + "a file is named with --store sqlite:PATH")
        }
    }
}

extension ProgramOptions {
    /// What the program hosts.
    ///
    /// - Throws: `DeclarationFault` where it cannot be served.
    var catalogue: Catalogue {
        get throws {
            let catalogue = Catalogue(program.viewModels, languages: program.languages)
            if let fault = catalogue.fault { throw fault }
            return catalogue
        }
    }

    /// As the description and `GET /` call it.
    var served: ServedProgram { ServedProgram(name: program.name, version: program.version) }
}

/// Where sessions are kept, as `--store` says it.
enum StoreChoice: Equatable {
    /// In the process, and with it gone.
    case memory
    /// In a file.
    case sqlite(path: String)
    /// In PostgreSQL, for any number of replicas.
    case postgres(uri: String)

    /// Reads `memory`, `sqlite:PATH`, or a URI as libpq reads it.
    ///
    /// Throws ``UsageError`` for anything else; of what might be a URI, and have a password in it, without repeating it.
    init(_ text: String) throws {
        let scheme = "sqlite:"
        if text == "memory" {
            self = .memory
        } else if text.hasPrefix(scheme), text.count > scheme.count {
            self = .sqlite(path: String(text.dropFirst(scheme.count)))
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgres(uri: text)
        } else {
            let shown = text.contains(where: { "/@=".contains($0) }) ? "what it was given" : text
            throw UsageError("takes memory, sqlite:PATH or postgres://HOST/DATABASE, not \(shown)")
        }
    }

    /// What may be shown to anybody: no password.
    var shown: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let uri): PostgresStore.description(of: uri)
        }
    }
}

/// What is wrong with the command line, in one line.
package struct UsageError: Error, Equatable {
    package let message: String

    /// Takes the message; of a value it repeats, line breaks and other control characters become spaces, and a password in a URI
    /// three dots.
    package init(_ message: String) {
        let shown = message.replacing(#/(//[^\s:/@]*):\S*@/#) { "\($0.1):…@" }
        self.message = String(
            shown.map { character in
                let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
                return isControl ? " " : character
            })
    }
}
