import BinderyKit
import Foundation

@testable import Tickets

func say(_ text: String) { FileHandle.standardError.write(Data("tickets: \(text)\n".utf8)) }

/// Never called: that the README's server for real compiles is what is wanted.
private func serve() async {
    var options = BinderyServer.Options()
    options.host = "0.0.0.0"
    options.service.allowedHosts = AllowedHosts(["tickets.example.org"])
    options.sessions.actionTime = .seconds(10)

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
