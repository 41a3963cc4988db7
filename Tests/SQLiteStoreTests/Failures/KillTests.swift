import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("kill -9", .serialized)
struct KillTests {
    @Test(
        "what a store acknowledged before it was killed is there afterwards, and nothing is doubled",
        arguments: SQLiteStore.Durability.allCases, [1, 300, 3000])
    func killed(durability: SQLiteStore.Durability, acknowledgements: Int) async throws {
        try await withBench { bench in
            let child = try Child(ofPackage: "store-child", "commit", bench.path, durability.rawValue)
            var said: [String] = []
            while said.count < acknowledgements, let line = child.line() { said.append(line) }
            child.kill()
            // The pipe still holds what was acknowledged while the kill was under way.
            said += child.lines()
            try #require(said.count >= acknowledgements)
            #expect(!said.contains("failed"))

            var acknowledged: [String: UInt64] = [:]
            for line in said {
                let words = line.split(separator: " ")
                // The last line may have been cut off in the middle of its number: it then says less than it could.
                guard words.count == 2, let seq = UInt64(words[1]) else { continue }
                acknowledged[String(words[0])] = max(acknowledged[String(words[0])] ?? 0, seq)
            }
            let store = try bench.open()
            for (name, seq) in acknowledged {
                let record = try #require(try await store.load(SessionID(rawValue: name)))
                #expect(record.head.seq >= seq)
                // State, cursor and key are of one commit: the model is the number of the step that made it.
                let text = Array("\(record.head.seq)".utf8)
                #expect(record.viewModels["counter"]?.model == text)
                #expect(record.viewModels["counter"]?.outputs.first?.seq == record.head.seq)
                #expect(record.keys == record.head.seq)
                for number in [1, record.head.seq] {
                    let key = KeyDigest(of: "key-\(number)", in: SessionID(rawValue: name))
                    let outcome = try await store.outcome(of: key, in: SessionID(rawValue: name))
                    #expect(outcome?.body == Array("\(number)".utf8))
                }
            }
            await store.close()
        }
    }
}
