import Locking
import Sessions
import TestSupport
import Testing

@Suite("A session over a store that fails again and again")
struct StormTests {
    /// The generator of Steele, Lea and Flood (SplitMix64): the same storm for the same seed.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let writers = 6
    private static let keys = 20

    @Test("counts each key once, whoever retries, and whoever follows meets no gap", arguments: 1...12)
    func storm(seed: UInt64) async throws {
        var limits = SessionLimits()
        limits.timeToLive = .seconds(1_000_000_000)
        // Time is what lets the session leave memory, a minute at once.
        limits.actionTime = .seconds(1_000_000_000)
        let bench = try await Bench(limits: limits)
        brew(seed, for: bench.store)
        let start = bench.session.cursor
        let told = History<Told>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    for number in 0..<Self.keys {
                        told.note(
                            try await insist(bench) {
                                try await $0.act("counter/increment", key: "\(writer).\(number)")
                            })
                    }
                }
            }
            group.addTask { try await follow(bench, from: start) }
            group.addTask { await sweep(bench, until: told) }
            try await group.waitForAll()
        }
        let count = Self.writers * Self.keys
        #expect(try await insist(bench) { try await $0.shown("counter") } == counter(count))
        #expect(Set(told.elements.map(\.body)) == Set((1...count).map(counter)))
        #expect(try await bench.store.behind.load(bench.session.id)?.head.seq == UInt64(count))
    }

    /// Says what goes wrong next.
    private func brew(_ seed: UInt64, for store: ScriptedStore) {
        var dice = Dice(state: seed)
        for _ in 0..<150 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0, 1: store.next(.commit, .refuse)
            case 2, 3: store.next(.commit, .loseTheAnswer)
            default:
                let pauses = Int.random(in: 0..<20, using: &dice)
                store.next(.commit, .after { for _ in 0..<pauses { await Task.yield() } })
            }
            store.next(.load, Int.random(in: 0..<5, using: &dice) == 0 ? .refuse : .after {})
        }
    }

    /// Asks until it is known what came of it, as a client does.
    private func insist<Value>(_ bench: Bench, _ ask: (Session) async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await ask(bench.found())
            } catch SessionFailure.unavailable(_), SessionFailure.evicted {
                await Task.yield()
            }
        }
    }

    /// Follows the session to its last commit.
    private func follow(_ bench: Bench, from start: Cursor) async throws {
        var client = Client()
        var since = start
        while since.seq < Self.writers * Self.keys {
            let answer = try await insist(bench) { try await $0.changes(FeedQuery(since: since), wait: .zero) }
            if case .snapshot(let reason) = answer.kind { Issue.record("\(since): \(reason)") }
            #expect(answer.cursor.seq >= since.seq)
            try client.apply(answer)
            since = answer.cursor
            await Task.yield()
        }
        #expect(client.state["counter.text"] == .string("\(Self.writers * Self.keys)"))
    }

    /// Lets the session leave memory now and then.
    private func sweep(_ bench: Bench, until told: History<Told>) async {
        var dice = Dice(state: 0)
        while told.elements.count < Self.writers * Self.keys {
            for _ in 0..<Int.random(in: 0..<100, using: &dice) { await Task.yield() }
            bench.timeline.advance(by: bench.registry.limits.timeInMemory)
            await bench.registry.evictIdle()
        }
    }
}
