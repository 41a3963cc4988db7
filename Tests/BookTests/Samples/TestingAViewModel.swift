import BinderyKit
import BinderyTesting
import Testing

@testable import Tickets

@Test("the counter keeps what its host relies on")
func contract() async {
    let violations = await Declaration.hosting(Counter.init(model:)).violations()
    #expect(violations == [])
}

@Test("a number that was taken is called once, though the answer was lost")
func lost() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        server.faults.dropNextAnswer()
        await #expect(throws: RemoteFailure.self) { try await machine.act("take", key: "a") }
        #expect(try await machine.act("take", key: "a").waiting == 1)
    }
}

@Test("the board shows each number in turn, over a restart")
func history() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        let display = try await server.history(of: \.display, in: machine)
        try await machine.act("take")
        try await machine.act("call")
        try await server.restart()
        try await machine.act("take")
        try await machine.act("call")
        #expect(try display.values() == ["Welcome", "Number 1, please", "Number 2, please"])
    }
}

@Test("a poll ends after 25 seconds where nothing comes")
func idle() async throws {
    try await withServer(Tickets.self) { server in
        let session = try await server.session()
        let cursor = try await session.cursor()
        async let answer = session.poll(since: cursor)
        try await server.waits(in: session)
        server.clock.advance(by: .seconds(25))
        #expect(try await answer.kind == .idle)
    }
}

@Test("nothing is shown of what the store has refused")
func refusedCommit() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        server.faults.failNextCommit()
        let problem = await #expect(throws: RemoteProblem.self) { try await machine.act("take") }
        #expect(problem?.status == 503)
        #expect(try await machine.state().waiting == 0)
    }
}

/// Prints on a printer that it is given.
final class PrintDesk: ViewModel {
    struct Model: StoredModel {
        var printed = 0
    }

    static let interface = Interface<PrintDesk>("print-desk") {
        Output("printed", \.printed)
        Action("print", PrintDesk.print)
    }

    func print() async throws {
        try await printer()
        model.printed += 1
    }

    var printed: Int { model.printed }

    private(set) var model: Model
    private let printer: @Sendable () async throws -> Void

    init(model: Model, printer: @escaping @Sendable () async throws -> Void) {
        self.model = model
        self.printer = printer
    }
}

@Test("a printer that hangs is given up after five seconds, and nothing was printed")
func givenUp() async throws {
    let (asked, printerIsAsked) = AsyncStream.makeStream(of: Void.self)
    let hung = Declaration.hosting { model in
        PrintDesk(model: model) {
            printerIsAsked.yield()
            try await Task.sleep(for: .seconds(3600))
        }
    }
    var options = TestServer.options
    options.sessions.actionTime = .seconds(5)
    try await withServer(viewModels: [hung], options: options) { server in
        let desk = try await server.session().viewModel(PrintDesk.self)
        Task {
            for await _ in asked { break }
            server.clock.advance(by: .seconds(5))
        }
        let problem = await #expect(throws: RemoteProblem.self) { try await desk.act("print") }
        #expect(problem?.status == 504)
        #expect(try await desk.state().printed == 0)
    }
}
