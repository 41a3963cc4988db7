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

    @Test("over HTTP, shows what an action changed")
    func served() async throws {
        try await withServer(Board.self) { server in
            let viewModel = try await server.session().viewModel(BoardViewModel.self)
            #expect(try await viewModel.act("increment").count == 1)
        }
    }
}
