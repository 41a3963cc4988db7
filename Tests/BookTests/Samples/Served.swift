import BinderyKit
import BinderyTesting
import Testing

@testable import Tickets

@Test("the board shows each number in turn, over a restart")
func history() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        let display = try await server.history(of: \TicketMachine.display, in: machine.session)
        try await machine.take()
        try await machine.call()
        try await server.restart()
        try await machine.take()
        try await machine.call()
        #expect(try display.values() == ["Welcome", "Number 1, please", "Number 2, please"])
    }
}

@Test("a catalogue that does not answer is given up after 30 seconds")
func givenUp() async throws {
    let hung = Declaration.hosting(Board.self, with: HungPrices())
    try await withServer(viewModels: [hung]) { server in
        let board = try await server.session().viewModel(Board.self)
        try await board.add("Bread")
        let answer = Task { try await board.lookUp() }
        try await server.clock.deadline(in: .seconds(30) ... .seconds(30))
        server.clock.advance(by: .seconds(30))
        let problem = await #expect(throws: RemoteProblem.self) { try await answer.value }
        #expect(problem?.status == 504)
    }
}

@Test("a number that cannot be stored is not taken")
func refused() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        server.faults.failNextCommit()
        await #expect(throws: RemoteFailure.self) { try await machine.take() }
        #expect(machine.waiting.value == 0)
    }
}

struct HungPrices: Prices {
    func price(of title: String) async throws -> Int {
        try await Task.sleep(for: .seconds(3600))
        return 0
    }
}

/// The book's defaults of a program.
enum ProgramForReal: BinderyProgram {
    static let viewModels = Tickets.viewModels
    static let version = "1.4.0"
    static let store = Store.sqlite("/var/lib/tickets/tickets.db")
    static var options: BinderyServer.Options {
        var options = BinderyServer.Options()
        options.service.allowedHosts = AllowedHosts(["tickets.example.org"])
        return options
    }
}

/// The book's program with a main function of its own, which is compiled only.
func serve() async throws {
    let options = BinderyServer.Options()
    let server = try BinderyServer(
        viewModels: [.hosting(TicketMachine.self)], store: .sqlite("tickets.db"), options: options,
        log: LogWriter(format: .json))
    try await server.run { print("at \($0)") }
}
