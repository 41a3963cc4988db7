import Events
import Foundation
import HTTP
import Service

/// A command could not be carried out; the log says why.
struct AlreadyLogged: Error {}

extension Command {
    static let serve = Command(
        "serve", "serve until SIGTERM or SIGINT",
        options: [.host, .port, .admin, .store, .schema] + ProgramOption.storeUse + ProgramOption.sessions
            + ProgramOption.callers + ProgramOption.connections + ProgramOption.log
    ) { options in
        let isTerminal = isatty(STDERR_FILENO) == 1
        let log = LogWriter(format: options.log ?? (isTerminal ? .text : .json), level: options.logLevel)
        let environment = ProcessInfo.processInfo.environment
        for name in unknownVariables(in: environment) {
            log.record(Event(.variableIgnored, ["variable": .text(name)]))
        }
        do {
            try await run(options, ServiceManager(environment), log)
        } catch {
            log.record(Event(.startFailed, ["reason": .text(String(describing: error))]))
            log.flush()
            throw AlreadyLogged()
        }
    }

    /// The `BINDERY_…` variables that are no option, nor set by Kubernetes for a Service of that name.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = serve.options.map(\.variable) + ["BINDERY_TOKEN"]
        return environment.keys.filter { name in
            name.hasPrefix("BINDERY_") && name.firstMatch(of: /^BINDERY_(SERVICE|PORT)_/) == nil
                && !known.contains(name)
        }.sorted()
    }

    private static func run(_ given: ProgramOptions, _ manager: ServiceManager, _ log: LogWriter) async throws {
        var options = given
        try manager.handOver(to: &options.server)
        let server = try BinderyServer(
            viewModels: options.program.viewModels, languages: options.program.languages, store: options.store,
            options: options.server, log: log)
        let telling = Task { await manager.keepTelling { server.isResponsive } }
        defer { telling.cancel() }
        // For people; a program reads the log.
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try await server.run {
            manager.tell("READY=1\nSTATUS=Listens on \($0)")
            if isTerminal { _ = try? Console.print(greeting($0, given)) }
        } stopping: {
            manager.tell("STOPPING=1")
        }
    }

    /// The first words to a person at a terminal.
    static func greeting(_ url: String, _ options: ProgramOptions) -> String {
        let store: String =
            switch options.store.place {
            case .memory: "memory; sessions end with this process"
            default: options.store.shown
            }
        let first = try? options.catalogue.viewModels.first
        let action = first.flatMap { first in first.actions.first { $0.input == nil }.map { "\(first.name)/\($0.name)" }
        }
        return """
            \(options.program.title) listens on \(url)
            Store: \(store)
            Try:
              curl \(url)/\(first?.name ?? "")
            \(action.map { "  curl -X POST \(url)/\($0)\n" } ?? "")  curl '\(url)/changes?wait=25'
            """
    }
}
