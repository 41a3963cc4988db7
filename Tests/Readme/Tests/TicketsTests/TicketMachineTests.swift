import BinderyKit
import BinderyTesting
import Testing

@testable import Tickets

@Test("the ticket machine keeps what its host relies on")
func contract() async {
    let violations = await Declaration.hosting(TicketMachine.init(model:)).violations()
    #expect(violations == [])
}

@Test("nobody is called while nobody waits")
func nobodyWaits() throws {
    let machine = TicketMachine(model: .init())
    #expect(throws: ActionRefusal.self) { try machine.call() }
    machine.take()
    try machine.call()
    #expect(machine.display == "Number 1, please")
}

@Test("who takes a number is called")
func called() async throws {
    try await withServer(Tickets.self) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        #expect(try await machine.act("take").canCall)
        #expect(try await machine.act("call").display == "Number 1, please")
        let problem = await #expect(throws: RemoteProblem.self) { try await machine.act("call") }
        #expect(problem?.detail == "Nobody waits; take a number first.")
    }
}
