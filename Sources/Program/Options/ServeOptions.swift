import Events
import Foundation
import PostgresStore
import SQLiteStore
import Service

/// What a program was told.
struct ServeOptions {
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
}

extension ServeOptions {
    /// What holds for a program where nobody says anything.
    init(of program: any BinderyProgram.Type) throws {
        (server, store) = (program.options, try StoreChoice(program.store))
        (server.program, server.programVersion) = (
            program.name, program.version.isEmpty ? nil : program.version
        )
    }

    /// Reads the environment and then the command line, which wins.
    ///
    /// - Parameter arguments: what stands behind `serve`.
    /// - Throws: ``UsageError``.
    init(of program: any BinderyProgram.Type, arguments: [String], environment: [String: String]) throws {
        try self.init(of: program)
        for option in ServeOption.all {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            if let variable = IgnoredVariable(option, text) {
                ignored.append(variable)
                continue
            }
            try apply(option, text, as: option.variable)
        }
        ignored += IgnoredVariable.all(in: environment)
        let given = try LongOptions.parse(program, arguments, ServeOption.all.map { ($0.name, !$0.isSwitch) })
        var lists: [Int: [String]] = [:]
        for (index, text) in given {
            let option = ServeOption.all[index]
            // Given again, a list goes on; as a whole it takes the place of the environment's.
            if option.isRepeatable { lists[index, default: []].append(text ?? "") }
            let whole = lists[index]?.joined(separator: String(ServeOption.separator))
            try apply(option, whole ?? text ?? "on", as: "--\(option.name)")
        }
        if case .memory = store, server.sessions.memoryBytes != nil {
            throw UsageError(
                "--max-memory has sessions leave memory for the store, and --store memory is in it: name a file with --store "
                    + "sqlite:PATH")
        }
    }

    /// What the log says that an option was given.
    private func shown(_ option: ServeOption, _ text: String) -> String {
        "\(option.name)" == "store" ? store.shown : text
    }

    private mutating func apply(_ option: ServeOption, _ text: String, as name: String) throws {
        do {
            try option.apply(text, &self)
            // Given again, the later holds.
            server.given.removeAll { $0.hasPrefix("\(option.name)=") }
            server.given.append("\(option.name)=\(shown(option, text))")
        } catch let error as UsageError {
            throw UsageError("\(name) \(error.message)")
        }
    }
}

extension ServeOptions {
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
struct UsageError: Error, Equatable {
    let message: String

    /// Takes the message; of a value it repeats, line breaks and other control characters become spaces, and a password in a URI
    /// three dots.
    init(_ message: String) {
        let shown = message.replacing(#/(//[^\s:/@]*):\S*@/#) { "\($0.1):…@" }
        self.message = String(
            shown.map { character in
                let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
                return isControl ? " " : character
            })
    }
}
