import Entities
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Housekeeping")
struct KeepingTests {
    @Test("ends sessions by the database's clock, with their keys, and nothing else")
    func expiry() async throws {
        try await withReplica { one in
            var (unused, used, named) = (Line(), Line(), Line(EntityID(kind: "orders", text: "orders/1")))
            for place in [unused, used, named] { #expect(await one.commit(place.creation).isStored) }
            for commit in [unused.next(key: .named("a")), used.next(key: .named("b")), named.next(key: .named("c"))] {
                #expect(await one.commit(commit).isStored)
            }
            try one.sql("UPDATE %.entities SET used = used - INTERVAL '20 minutes'")
            one.store.touch([used.id, .session("nobody")])
            #expect(await one.expire(unusedFor: .seconds(900)) == [unused.id])
            #expect(await one.head(of: unused.id) == .missing)
            #expect(await one.head(of: used.id) == .at(used.head))
            #expect(await one.head(of: named.id) == .at(named.head))
            #expect(try one.sql("SELECT count(*) FROM %.keys WHERE entity > 0") == "2")
        }
    }

    @Test("deletes as many sessions as it is told, the longest unused first")
    func limit() async throws {
        try await withReplica { one in
            let lines = (0..<5).map { _ in Line() }
            for line in lines { #expect(await one.commit(line.creation).isStored) }
            #expect(await Set(one.expire(unusedFor: .zero, limit: 2)) == Set(lines[..<2].map(\.id)))
            #expect(await one.expire(unusedFor: .zero, limit: 9).count == 3)
        }
    }

    @Test("deletes keys whose window has passed, and counts only what is left")
    func keys() async throws {
        try await withReplica { one in
            var line = Line()
            _ = await one.commits([line.creation, line.next(key: .named("a")), line.next(key: .named("b"))])
            try one.sql("UPDATE %.keys SET ends = now() WHERE digest = 'a'")
            guard case .missing = await one.lookUp("a", in: line.id) else { throw AwayTests.Unexpected() }
            #expect(await one.expire(unusedFor: .seconds(900)) == [])
            guard case .missing(count: 1) = await one.lookUp("a", in: line.id) else { throw AwayTests.Unexpected() }
            guard case .found = await one.lookUp("b", in: line.id) else { throw AwayTests.Unexpected() }
        }
    }
}
