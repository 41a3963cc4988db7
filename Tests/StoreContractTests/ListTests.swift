import Sessions
import TestSupport
import Testing

@Suite("The contract of a store: sessions are listed")
struct ListTests {
    private let steps = Steps()

    @Test("in the order of their creation, a page at a time, each once", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let all = (0..<25).map { _ in Steps() }
            for steps in all { try await store.commit(steps.creation()) }
            var (pages, place): ([[SessionSummary]], Int64) = ([], 0)
            while pages.last?.isEmpty != true {
                pages.append(try await store.sessions(after: place, limit: 10))
                place = pages.last?.last?.place ?? place
            }
            #expect(pages.map(\.count) == [10, 10, 5, 0])
            #expect(pages.joined().map(\.id) == all.map(\.id))
        }
    }

    @Test("with their beginning and their end, as a touch leaves it", arguments: StoreKind.allCases)
    func times(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            let (begun, endless) = (timeOfDay.now, Steps())
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            try await store.commit(endless.creation())
            timeOfDay.advance(by: 5)
            try await store.commit(steps.step(from: 0, end: timeOfDay.after(10)))
            try await store.touch([steps.id: timeOfDay.after(20)])
            let listed = try await store.sessions(after: 0, limit: 10)
            #expect(listed.map(\.begun) == [begun, begun])
            #expect(listed.map(\.end) == [timeOfDay.after(20), nil])
        }
    }

    @Test("with about the bytes of their models and outputs", arguments: StoreKind.allCases)
    func bytes(kind: StoreKind) async throws {
        try await kind.withStore { store in
            try await store.commit(steps.creation())
            #expect(try await store.sessions(after: 0, limit: 1).map(\.bytes) == [0])
            let value = String(repeating: "x", count: 10_000)
            try await store.commit(steps.step(from: 0, ViewModelRecord("counter", value, at: 1)))
            let bytes = try await store.sessions(after: 0, limit: 1).map(\.bytes)
            #expect(bytes.count == 1 && bytes.allSatisfy { (20_000..<20_100).contains($0) })
        }
    }

    @Test(
        "a page goes on behind one that is gone, and a session that is begun anew comes last",
        arguments: StoreKind.allCases)
    func gone(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let all = (0..<4).map { _ in Steps() }
            for steps in all { try await store.commit(steps.creation()) }
            let place = try #require(try await store.sessions(after: 0, limit: 2).last?.place)
            try await store.delete(all[1].id, at: all[1].version(0))
            try await store.commit(Steps(id: all[1].id).creation())
            let rest = try await store.sessions(after: place, limit: 10)
            #expect(rest.map(\.id) == [all[2].id, all[3].id, all[1].id])
        }
    }

    @Test("and one whose end has come until it is forgotten", arguments: StoreKind.allCases)
    func over(kind: StoreKind) async throws {
        try await kind.withStore { store, timeOfDay async throws in
            try await store.commit(steps.creation(end: timeOfDay.after(10)))
            timeOfDay.advance(by: 10)
            #expect(try await store.sessions(after: 0, limit: 10).map(\.id) == [steps.id])
            _ = try await store.deleteEnded(by: timeOfDay.now, limit: 10)
            #expect(try await store.sessions(after: 0, limit: 10) == [])
        }
    }
}
