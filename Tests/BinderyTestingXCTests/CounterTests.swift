import BinderyTesting
import Samples
import ViewModels
import XCTest

/// What a host's test looks like in XCTest: the same calls, its own assertions.
final class CounterTests: XCTestCase {
    func testWhatWasShownIsAssertedByXCTest() async throws {
        try await withServer(viewModels: [.hosting(CounterViewModel.init(model:))]) { server in
            let counter = try await server.session().viewModel(CounterViewModel.self)
            let enabled = try await server.history(of: \.enabled, in: counter)
            for action in ["increment", "increment", "decrement", "decrement"] { try await counter.act(action) }
            XCTAssertEqual(try enabled.values(), [false, true, false])
        }
    }

    func testARefusalIsThrown() async throws {
        try await withServer(viewModels: [.hosting(CounterViewModel.init(model:))]) { server in
            let counter = try await server.session().viewModel(CounterViewModel.self)
            do {
                try await counter.act("decrement")
                XCTFail("It was not refused.")
            } catch let problem as RemoteProblem {
                XCTAssertEqual(problem.status, 409)
            }
        }
    }

    func testTheContractSuiteIsThere() async {
        let violations = await Declaration.hosting(CounterViewModel.init(model:)).violations(steps: 5)
        XCTAssertEqual(violations, [])
    }
}
