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
