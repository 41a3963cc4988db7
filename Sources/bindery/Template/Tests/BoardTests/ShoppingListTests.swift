import BinderyKit
import BinderyTesting
import Testing

@testable import Board

@Suite("The shopping list")
struct ShoppingListTests {
    @Test("keeps the contract of view models")
    func contract() async {
        let violations = await Declaration.hosting(ShoppingList.self).violations()
        #expect(violations == [])
    }

    @Test("shows the entries, the oldest first")
    func added() throws {
        var list = ShoppingList()
        try list.add(.init(text: "Milk"))
        try list.add(.init(text: "Bread"))
        #expect(list.entries == ["Milk", "Bread"])
    }

    @Test("takes no entry without text, and none when it is full")
    func refused() throws {
        var list = ShoppingList()
        #expect(throws: Refusal.self) { try list.add(.init(text: " ")) }
        for _ in 0..<ShoppingList.mostEntries { try list.add(.init(text: "Milk")) }
        #expect(throws: Refusal.self) { try list.add(.init(text: "Milk")) }
    }

    @Test("over HTTP, is cleared when there is something to clear")
    func served() async throws {
        try await withServer(Board.self) { server in
            let list = try await server.session().viewModel(ShoppingList.self)
            try await list.add(ShoppingList.Entry(text: "Milk"))
            #expect(list.entries.value == ["Milk"])
            try await list.clear()
            let problem = await #expect(throws: RemoteProblem.self) { try await list.clear() }
            #expect(problem?.status == 409)
        }
    }
}
