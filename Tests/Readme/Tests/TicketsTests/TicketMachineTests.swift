import BinderyKit
import BinderyTesting
import Testing

@testable import Tickets

@Test("the ticket machine keeps the contract of view models")
func contract() async {
    let violations = await Declaration.hosting(TicketMachine.self).violations()
    #expect(violations == [])
}

@Test("a customer with a number is called")
func called() async throws {
    try await withServer(viewModels: [.hosting(TicketMachine.self)]) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        try await machine.take()
        try await machine.call()
        #expect(machine.display.value == "Number 1, please")
    }
}

@Test("nobody is called while nobody waits")
func nobodyWaits() throws {
    var machine = TicketMachine()
    #expect(throws: Refusal.self) { try machine.call() }
    machine.take()
    try machine.call()
    #expect(machine.display == "Number 1, please")
}

@Test("a call while nobody waits is refused, and the detail says why")
func refused() async throws {
    try await withServer(viewModels: [.hosting(TicketMachine.self)]) { server in
        let machine = try await server.session().viewModel(TicketMachine.self)
        let problem = await #expect(throws: RemoteProblem.self) { try await machine.call() }
        #expect(problem?.detail == "Nobody waits; take a number first.")
    }
}
