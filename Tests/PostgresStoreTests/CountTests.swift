import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("How many sessions there are")
struct CountTests {
    @Test("what begins and ends here counts at once, what does elsewhere within a second or so")
    func both() async throws {
        try await withReplicas { one, other in
            #expect(try await one.store.count() == 0)
            #expect(try await other.store.count() == 0)
            let (first, second) = (Steps(), Steps())
            try await one.commit(first.creation())
            try await one.commit(second.creation())
            #expect(try await one.store.count() == 2)
            try await one.delete(first.id, at: first.version(0))
            #expect(try await one.store.count() == 1)
            #expect(try await eventually { try await other.store.count() == 1 })
        }
    }
}
