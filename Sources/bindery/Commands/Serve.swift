import Foundation
import HTTP
import Service
import Sessions

/// `bindery serve`.
enum Serve {
    /// Serves until it is told to stop.
    ///
    /// - Throws: ``StartError``, as where the port is taken.
    static func run(_ options: ServeOptions) async throws {
        let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
        let log = AccessLog(format: options.log ?? (isTerminal ? .text : .json))
        defer { log.flush() }
        let server = BinderyServer(store: store(options.store), options: options.server, log: log)
        try await server.run { Output.print(greeting($0)) }
    }

    private static func store(_ choice: ServeOptions.StoreChoice) -> any SessionStore {
        switch choice {
        case .memory: MemoryStore()
        }
    }

    static func greeting(_ started: StartedServer) -> String {
        """
        Bindery \(Version.current) listens on \(started.url)
        Store: memory; sessions end with this process. Threads: \(started.limits.threads). \
        Connections: up to \(started.limits.connections), with \(started.fileDescriptorLimit) open files.
        Try:
          curl \(started.url)/counter
          curl -X POST \(started.url)/counter/increment
          curl '\(started.url)/changes?wait=25'
        """
    }
}
