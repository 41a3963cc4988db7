import Locking
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("Whoever carries out a session's orders")
struct CarryingTests {
    @Test("leaves them to another after some hundred, however many are asked for meanwhile")
    func bounded() async throws {
        let wanted = 1000
        let runs = Runs()
        let errand = Declaration.errand {
            // As another loop's clients do, again and again.
            if let session = runs.count(upTo: wanted) { _ = session.ask(for: ActionID(0, of: 0)) }
        }
        let registry = SessionRegistry(catalogue: Catalogue([errand]), store: MemoryStore())
        let session = try await registry.begin(language: .japanese).session
        // It runs where it is asked for.
        try session.prove(0, of: 0)
        runs.begin(with: session)
        _ = session.ask(for: ActionID(0, of: 0))
        #expect(runs.number < wanted)
        #expect(await eventually { runs.number == wanted })
        runs.end()
    }
}

/// How often an action has run, and the session that it asks for the next.
private final class Runs: Sendable {
    private let state = Lock<(number: Int, session: Session?)>((0, nil))

    var number: Int { state.withLock { $0.number } }

    func begin(with session: Session) { state.withLock { $0.session = session } }

    func end() { _ = state.withLock { $0.session.take() } }

    /// Counts a run; the session, where there are to be more.
    func count(upTo limit: Int) -> Session? {
        state.withLock { state in
            guard state.session != nil else { return nil }
            state.number += 1
            return state.number < limit ? state.session : nil
        }
    }
}
