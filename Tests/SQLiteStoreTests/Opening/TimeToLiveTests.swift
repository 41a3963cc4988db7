import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("A file that is opened with another time to live")
struct TimeToLiveTests {
    private let guest = Steps()
    private let house = Steps()

    /// A session that ends in an hour, which is its time to live, and one that never does.
    private func prepare(_ bench: Bench, timeToLive: Duration? = .seconds(3600)) async throws {
        let store = try bench.open { $0.timeToLive = timeToLive }
        try await store.commit(guest.creation(end: bench.timeOfDay.after(3600)))
        try await store.commit(house.creation(end: nil))
        await store.close()
    }

    @Test(
        "has its sessions end as if they had always lived so long, but for one that never ends", arguments: [60, 7200])
    func changed(seconds: Int64) async throws {
        try await withBench { bench in
            try await prepare(bench)
            // The second time nothing is to be done.
            for _ in 0..<2 {
                let store = try bench.open { $0.timeToLive = .seconds(seconds) }
                #expect(try await store.load(guest.id)?.end == bench.timeOfDay.after(seconds))
                let never = try await store.load(house.id)
                #expect(never != nil && never?.end == nil)
                await store.close()
            }
        }
    }

    @Test("has those end at once that nobody used for so long, and brings back what was not forgotten yet")
    func over() async throws {
        try await withBench { bench in
            try await prepare(bench)
            bench.timeOfDay.advance(by: 3000)
            let short = try bench.open { $0.timeToLive = .seconds(3000) }
            #expect(try await short.load(guest.id) == nil)
            await short.close()
            let long = try bench.open { $0.timeToLive = .seconds(3001) }
            #expect(try await long.load(guest.id)?.end == bench.timeOfDay.after(1))
            await long.close()
            let shortAgain = try bench.open { $0.timeToLive = .seconds(3000) }
            #expect(try await shortAgain.deleteEnded(by: bench.timeOfDay.now, limit: 9) == [guest.id])
            await shortAgain.close()
        }
    }

    @Test("leaves the ends alone where it does not say by which they were put, or nobody says another")
    func unknown() async throws {
        try await withBench { bench in
            try await prepare(bench, timeToLive: nil)
            for timeToLive: Duration? in [.seconds(60), nil, .seconds(60)] {
                let store = try bench.open { $0.timeToLive = timeToLive }
                #expect(try await store.load(guest.id)?.end == bench.timeOfDay.after(3600))
                await store.close()
            }
        }
    }

    @Test("is refused, with its ends as they were, where they cannot be put anew")
    func full() async throws {
        try await withBench { bench in
            try await prepare(bench)
            let other = try bench.connection()
            try other.execute("CREATE TRIGGER full BEFORE UPDATE ON sessions BEGIN SELECT raise(ABORT, 'full'); END")
            #expect(await refusal { _ = try bench.open { $0.timeToLive = .seconds(60) } } != nil)
            try other.execute("DROP TRIGGER full")
            let store = try bench.open { $0.timeToLive = .seconds(3600) }
            #expect(try await store.load(guest.id)?.end == bench.timeOfDay.after(3600))
            await store.close()
        }
    }
}
