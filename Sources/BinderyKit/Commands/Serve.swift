import Events
import Foundation
import HTTP
import Service

/// A command failed, and the log has the reason.
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

    /// The `BINDERY_…` variables that are no options, and that Kubernetes did not set for a Service of that name.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = serve.options.map(\.variable) + ["BINDERY_TOKEN"]
        return environment.keys.filter { name in
            name.hasPrefix("BINDERY_") && name.firstMatch(of: /^BINDERY_(SERVICE|PORT)_/) == nil
                && !known.contains(name)
        }.sorted()
    }

    private static func run(_ options: ProgramOptions, _ manager: ServiceManager, _ log: LogWriter) async throws {
        let server = try BinderyServer(
            viewModels: options.program.viewModels, languages: options.program.languages, store: options.store,
            options: options.server, log: log)
        let telling = Task { await manager.keepTelling { server.isResponsive } }
        defer { telling.cancel() }
        // The greeting is for people; a program reads the log.
        let isTerminal = isatty(STDOUT_FILENO) == 1
        try await server.run {
            manager.tell("READY=1\nSTATUS=Listens on \($0)")
            if isTerminal { _ = try? Console.print(greeting($0, options)) }
        } stopping: {
            manager.tell("STOPPING=1")
        }
    }

    /// The greeting at a terminal.
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

/// Tells a service manager that the server is ready, alive or stopping (sd_notify(3), sd_watchdog_enabled(3)).
///
/// A message is a datagram. systemd guarantees its form (systemd.io/PORTABILITY_AND_STABILITY), so no library is needed.
struct ServiceManager {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Sends lines of a name and a value to the manager, if there is one.
    func tell(_ state: String) {
        guard let path = environment["NOTIFY_SOCKET"] else { return }
        var bytes = Array(path.utf8)
        // A name that is no path begins with a zero byte (unix(7)).
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// Sends a sign of life twice in each watchdog period while the server answers, until the task is cancelled.
    func keepTelling(while isAlive: () -> Bool) async {
        guard environment["WATCHDOG_PID"].map({ Int32($0) == getpid() }) ?? true,
            let time = environment["WATCHDOG_USEC"].flatMap({ Int64($0) })
        else { return }
        // The sleep throws when the task is cancelled.
        repeat {
            if isAlive() { tell("WATCHDOG=1") }
        } while (try? await Task.sleep(for: .microseconds(time / 2))) != nil
    }
}
