import Sessions
import TestSupport
import Testing

@testable import PostgresStore

@Suite("What replicas tell each other")
struct HintTests {
    @Test("hints come back as they were sent, each payload shorter than NOTIFY takes")
    func roundTrip() {
        let hints = (0..<500).map { number in
            Hint(
                id: number == 7 ? .public : SessionToken.random().sessionID,
                version: number % 9 == 0 ? nil : CommitVersion.first().next())
        }
        let payloads = Hint.payloads(hints)
        #expect(payloads.allSatisfy { $0.utf8.count < 8000 })
        #expect(payloads.flatMap(Hint.all) == hints)
        #expect(Hint.payloads([]).isEmpty)
    }

    @Test("what is no hint is passed over", arguments: ["", " ", "x", "a.b.c", "!!.!!", "."])
    func strange(payload: String) { #expect(Hint.all(in: payload).allSatisfy { $0.version == nil }) }

    @Test("names of sessions of every length come back", arguments: [0, 1, 30, 31, 32, 33, 63, 64])
    func names(length: Int) {
        let id = SessionID(rawValue: String(repeating: "z", count: length))
        #expect(SessionID(bytea: id.bytea) == id)
        #expect(id.bytea.count != 32)
    }
}
