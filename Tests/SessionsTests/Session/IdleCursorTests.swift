import Samples
import Sessions
import Testing
import ViewModels

@Suite("The cursor of an idle answer")
struct IdleCursorTests {
    @Test("it never lies after a change that its client was not told of")
    func noGap() async throws {
        let registry = SessionRegistry(catalogue: .samples, store: MemoryStore())
        let session = try await registry.publicSession().value
        _ = try await session.view(at: 0).value
        let commits: UInt64 = 20_000
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var gaps = 0
                    var query = FeedQuery(since: session.cursor)
                    while session.cursor.seq < commits {
                        let answer = try await session.changes(query, wait: .zero)
                        if case .idle = answer.kind, answer.cursor != query.since { gaps += 1 }
                        query.since = answer.cursor
                        // The actions need the pool's threads, too.
                        await Task.yield()
                    }
                    return gaps
                }
            }
            for _ in 0..<commits { _ = try await session.perform(ActionID(0, of: 0)) }
            for try await gaps in group { #expect(gaps == 0) }
        }
    }
}
