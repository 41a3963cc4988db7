import Events
import Foundation
import HTTP
import PostgresStore
import SQLiteStore
import Service
import Sessions
import ViewModels

/// The command `serve`.
enum Serve {
    /// Serves until it is told to stop; everything that goes wrong is logged.
    ///
    /// - Throws: ``AlreadyLogged``.
    static func run(_ options: ProgramOptions) async throws(AlreadyLogged) {
        let format = options.log ?? (isatty(FileHandle.standardError.fileDescriptor) == 1 ? .text : .json)
        let log = LogWriter(format: format, level: options.logLevel)
        log.reportCrashes()
        for variable in options.ignored { log.record(variable.event) }
        do {
            try await run(options, log)
        } catch {
            log.record(Event(.startFailed, ["reason": .text(String(describing: error))]))
            log.flush()
            throw AlreadyLogged()
        }
    }

    private static func run(_ options: ProgramOptions, _ log: LogWriter) async throws {
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        var options = options
        try manager.handOver(to: &options.server)
        let given = options
        // What cannot be served makes no store, and migrates none.
        _ = try options.catalogue
        let store = try store(options, log)
        let server = BinderyServer(
            viewModels: options.program.viewModels, languages: options.program.languages, store: store,
            options: options.server, log: log)
        // For people; a program reads the log.
        let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
        let telling = Task { await manager.keepTelling { server.isResponsive } }
        defer { telling.cancel() }
        do {
            try await server.run {
                manager.tell("READY=1\nSTATUS=Listens on \($0.url)")
                if isTerminal { _ = try? Console.print(greeting($0, given)) }
            } stopping: {
                manager.tell("STOPPING=1")
            }
        } catch {
            await store.close()
            throw error
        }
    }

    private static func store(_ options: ProgramOptions, _ log: LogWriter) throws -> any SessionStore {
        switch options.store {
        case .memory: MemoryStore()
        case .sqlite(let path):
            try SQLiteStore(
                path: path, durability: options.durability, timeToLive: options.server.sessions.timeToLive, log: log)
        case .postgres(let uri):
            try PostgresStore(
                uri: uri, schema: options.schema, timeToLive: options.server.sessions.timeToLive, log: log)
        }
    }

    static func greeting(_ started: StartedServer, _ options: ProgramOptions) -> String {
        """
        \(options.program.title) listens on \(started.url)
        \(promise(of: options))\(remark(onHostsOf: options.server))
        Threads: \(started.limits.threads). Connections: up to \(started.limits.connections), \
        with \(started.fileDescriptorLimit) open files.
        Try:
        \(examples(of: options.program.viewModels, at: started.url))
          curl '\(started.url)/changes?wait=25'
        """
    }

    /// A look at the first view model that there is, and the first of its actions that takes no body.
    private static func examples(of viewModels: [Declaration], at url: String) -> String {
        guard let first = viewModels.first else { return "  curl \(url)/" }
        let action = first.actions.first { $0.input == nil }
        let post = action.map { "\n  curl -X POST \(url)/\(first.name)/\($0.name)" } ?? ""
        return "  curl \(url)/\(first.name)\(post)"
    }

    /// Printed where the operator has not chosen the allowed hosts.
    private static func remark(onHostsOf options: BinderyServer.Options) -> String {
        guard options.service.allowedHosts == nil, options.allowedHosts.isAny else { return "" }
        return "\nHosts: any. Name yours with --allowed-hosts, so that no other site's name can be made to lead here."
    }

    private static func promise(of options: ProgramOptions) -> String {
        switch (options.store, options.durability) {
        case (.memory, _): "Store: memory; sessions end with this process."
        case (.sqlite(let path), .power): "Store: \(path); what was answered survives a crash and a loss of power."
        case (.sqlite(let path), .process): "Store: \(path); what was answered survives a crash."
        case (.postgres, _): "Store: \(options.store.shown); what was answered survives what the database survives."
        }
    }
}
