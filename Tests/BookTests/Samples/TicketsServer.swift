import BinderyKit
import BinderyTesting
import Foundation
import Testing

@testable import Tickets

/// The README's program that has a `main` of its own; on a port that is free.
private func serve() async {
    var options = BinderyServer.Options()
    options.host = "0.0.0.0"
    options.service.allowedHosts = AllowedHosts(["tickets.example.org"])
    options.sessions.actionTime = .seconds(10)

    (options.host, options.port) = ("127.0.0.1", 0)

    let log = LogWriter(format: .json)
    log.reportCrashes()
    do {
        let server = BinderyServer(
            viewModels: [.hosting(TicketMachine.init(model:))], store: try SQLiteStore(path: "tickets.db", log: log),
            options: options, log: log)
        try await server.run { say("at \($0.url)") }
    } catch {
        say("\(error)")
        exit(1)
    }
}

/// What a program may say of itself in its code.
enum ProgramForReal: BinderyProgram {
    static let viewModels = Tickets.viewModels
    static let version = "1.4.0"
    static let store = "sqlite:/var/lib/tickets/tickets.db"
    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.service.allowedHosts = AllowedHosts(["tickets.example.org"])
        options.sessions.actionTime = .seconds(10)
        return options
    }
}

@Suite("The README's server for real")
struct TicketsServerTests {
    @Test("says where it listens, and stops well on SIGTERM")
    func serves() async {
        await #expect(processExitsWith: .success) {
            try await inNewDirectory {
                let said = Pipe()
                dup2(said.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
                // A thread of its own, since it waits for what is said, and reads on lest the writer waits for it.
                Thread.detachNewThread {
                    var text = ""
                    while true {
                        let bytes = said.fileHandleForReading.availableData
                        guard !text.contains("tickets: at http://127.0.0.1:") else { continue }
                        text += String(decoding: bytes, as: UTF8.self)
                        if text.contains("tickets: at http://127.0.0.1:") { kill(getpid(), SIGTERM) }
                    }
                }
                await serve()
                #expect(FileManager.default.fileExists(atPath: "tickets.db"))
            }
        }
    }

    @Test("ends with 1 where it cannot start")
    func doesNotStart() async {
        await #expect(processExitsWith: .exitCode(1)) {
            // No file can be made there, by nobody.
            #expect(FileManager.default.changeCurrentDirectoryPath("/proc"))
            await serve()
        }
    }

    @Test("has a program that says in its code what holds where nobody says anything")
    func program() {
        #expect(ProgramForReal.options.sessions.actionTime == .seconds(10))
        #expect(ProgramForReal.version == "1.4.0")
    }
}

/// For a process of its own alone: it changes where relative paths lead.
func inNewDirectory(_ run: () async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "book-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    #expect(FileManager.default.changeCurrentDirectoryPath(directory.path))
    try await run()
}

/// Leaves a store behind, as the build before stored it.
func takeATicket(in path: String) async throws {
    try await withServer(viewModels: Tickets.viewModels, store: try SQLiteStore(path: path)) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        try await machine.act("take")
    }
}
