import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Putting off the ends of many sessions")
struct TouchTests {
    @Test("is done in batches, between which commits go, and each of which writes few pages")
    func batches() async throws {
        try await withBench { bench in
            let store = try bench.open { ($0.durability, $0.touchBatch) = (.process, 100) }
            let end = TimeOfDay(secondsSince1970: bench.timeOfDay.now.secondsSince1970 + 100)
            let later = TimeOfDay(secondsSince1970: end.secondsSince1970 + 100)
            let sessions = (0..<1000).map { _ in Steps() }
            for steps in sessions { try await store.commit(steps.creation(end: end)) }
            let before = try bench.writeAheadLog()
            try await store.touch(Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, later) }))
            let frames = try bench.writeAheadLog().dropFirst(before.count)
            // A frame that ends a transaction says how large the file then is.
            #expect(frames.count { $0 > 0 } == 10)
            // A thousand sessions take some thirty pages; in any other order each batch would write most of them.
            #expect(frames.count < 150)
            for steps in [sessions[0], sessions[999]] { #expect(try await store.load(steps.id)?.end == later) }
            await store.close()
        }
    }

    @Test("leaves those alone that are not there")
    func missing() async throws {
        try await withBench { bench in
            let store = try bench.open { $0.touchBatch = 2 }
            let end = TimeOfDay(secondsSince1970: bench.timeOfDay.now.secondsSince1970 + 100)
            let later = TimeOfDay(secondsSince1970: end.secondsSince1970 + 100)
            let steps = Steps()
            try await store.commit(steps.creation(end: end))
            let ids = (0..<5).map { _ in Steps().id } + [steps.id]
            try await store.touch(Dictionary(uniqueKeysWithValues: ids.map { ($0, later) }))
            #expect(try await store.load(steps.id)?.end == later)
            #expect(store.count() == 1)
            try await store.touch([:])
            await store.close()
        }
    }
}
