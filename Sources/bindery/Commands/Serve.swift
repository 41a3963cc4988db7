import Foundation
import HTTP
import SQLiteStore
import Service
import Sessions

/// `bindery serve`.
enum Serve {
    /// Serves until it is told to stop.
    ///
    /// - Throws: `StartError`, as where the port is taken; `SQLiteStoreError`, as where the file is in use.
    static func run(_ options: ServeOptions) async throws {
        let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
        let log = AccessLog(format: options.log ?? (isTerminal ? .text : .json))
        let store = try store(options)
        let server = BinderyServer(store: store, options: options.server, log: log)
        do {
            try await server.run { Output.print(greeting($0, options)) }
        } catch {
            await store.close()
            throw error
        }
    }

    private static func store(_ options: ServeOptions) throws -> any SessionStore {
        switch options.store {
        case .memory: MemoryStore()
        case .sqlite(let path):
            try SQLiteStore(path: path, durability: options.durability, notice: { Output.complain($0) })
        }
    }

    static func greeting(_ started: StartedServer, _ options: ServeOptions) -> String {
        """
        Bindery \(Version.current) listens on \(started.url)
        \(promise(of: options))\(remark(onHostsOf: options.server))
        Threads: \(started.limits.threads). Connections: up to \(started.limits.connections), \
        with \(started.fileDescriptorLimit) open files.
        Try:
          curl \(started.url)/counter
          curl -X POST \(started.url)/counter/increment
          curl '\(started.url)/changes?wait=25'
        """
    }

    /// Said where it is nobody's choice.
    private static func remark(onHostsOf options: BinderyServer.Options) -> String {
        guard options.service.allowedHosts == nil, options.allowedHosts.isAny else { return "" }
        return "\nHosts: any. Name yours with --allowed-hosts, so that no other site's name can be made to lead here."
    }

    private static func promise(of options: ServeOptions) -> String {
        switch (options.store, options.durability) {
        case (.memory, _): "Store: memory; sessions end with this process."
        case (.sqlite(let path), .power): "Store: \(path); what was answered survives a crash and a loss of power."
        case (.sqlite(let path), .process): "Store: \(path); what was answered survives a crash."
        }
    }
}
