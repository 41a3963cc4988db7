import BinderyKit
import Testing
import ViewModelContract

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
