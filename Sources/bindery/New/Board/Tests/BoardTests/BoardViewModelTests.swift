import BinderyKit
import BinderyTesting
import Testing

@testable import Board

@Suite("BoardViewModel")
struct BoardViewModelTests {
    @Test("keeps what its host relies on")
    func contract() async {
        let violations = await Declaration.hosting(BoardViewModel.init(model:)).violations()
        #expect(violations == [])
    }

    @Test("shows what was added, the oldest first")
    func added() throws {
        let list = BoardViewModel(model: .init())
        try list.add(.init(text: "Milk"))
        try list.add(.init(text: "Bread"))
        #expect(list.entries == ["Milk", "Bread"])
    }

    @Test("takes no entry without text, and none when it is full")
    func refused() throws {
        let list = BoardViewModel(model: .init())
        #expect(throws: ActionRefusal.self) { try list.add(.init(text: " ")) }
        for _ in 0..<BoardViewModel.mostEntries { try list.add(.init(text: "Milk")) }
        #expect(throws: ActionRefusal.self) { try list.add(.init(text: "Milk")) }
        #expect(list.entries.count == BoardViewModel.mostEntries)
    }

    @Test("over HTTP, is cleared where there is something to clear")
    func served() async throws {
        try await withServer(Board.self) { server in
            let list = try await server.session().viewModel(BoardViewModel.self)
            #expect(try await list.act("add", BoardViewModel.Entry(text: "Milk")).canClear)
            #expect(try await list.act("clear").entries == [])
            let problem = await #expect(throws: RemoteProblem.self) { try await list.act("clear") }
            #expect(problem?.status == 409)
            #expect(problem?.detail == "There is nothing to clear; add an entry first.")
        }
    }
}
