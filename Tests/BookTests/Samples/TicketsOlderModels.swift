import BinderyKit
import BinderyTesting
import Testing

/// The README's ticket machine, with the model of the build after.
private final class TicketMachine: ViewModel {
    static let interface = Interface<TicketMachine>("tickets") { Output("waiting", \.waiting) }

    var waiting: Int { model.issued - model.called }
    let model: Model
    init(model: Model) { self.model = model }
}

@Test("the README's migration finds the value under its new name")
func migration() throws {
    let machine = try Declaration.hosting(TicketMachine.init(model:)).make(
        in: ViewModelContext(), from: Array(#"{"called":1,"taken":3}"#.utf8), storedBy: 1)
    #expect(try machine.encodedOutput(at: 0) == Array("2".utf8))
    #expect(try machine.encodedModel() == Array(#"{"called":1,"desk":"A","issued":3}"#.utf8))
}

@Test("a store is checked before a deploy, and what is stored by the build before is read")
func check() async {
    await #expect(processExitsWith: .success) {
        try await inNewDirectory {
            try await takeATicket(in: "tickets.db")
            let check = try await SQLiteStore.check("tickets.db", for: [.hosting(TicketMachine.init(model:))])
            for finding in check.models.findings { print(finding) }
            #expect(check.models.findings.isEmpty && check.models.models == 1)
        }
    }
}

@Test("what the deployed build has stored is read, and none of it is lost")
func olderModels() async {
    let violations = await Declaration.hosting(TicketMachine.init(model:))
        .violations(olderModels: [#"{"called":1,"taken":3}"#])
    #expect(violations == [])
}
