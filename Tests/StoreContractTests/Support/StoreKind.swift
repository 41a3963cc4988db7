import Entities
import Locking
import SQLiteStore
import StoreParts
import Testing

/// A place for a store, with its clock.
protocol StoreBench: Sendable {
    /// Opens the store; a later call finds what an earlier store kept.
    func open() async throws -> any EntityStore

    /// Lets time pass on the store's clock.
    func pass(_ time: Duration) async throws

    /// Removes what the stores kept.
    func remove() async
}

/// A kind of store, over which the contract suite runs.
struct StoreKind: Sendable, CustomTestStringConvertible {
    /// The name in the test's report.
    let testDescription: String
    /// Whether a store that is opened again has what was stored.
    var isLasting = true
    /// Makes a place without a store.
    let bench: @Sendable () throws -> any StoreBench

    /// Every kind; a new one is one line.
    static let all = [
        StoreKind(testDescription: "memory", isLasting: false) { MemoryBench() },
        StoreKind(testDescription: "sqlite, power") { try SQLiteBench { $0.durability = .power } },
        StoreKind(testDescription: "sqlite, process") { try SQLiteBench { $0.durability = .process } },
        StoreKind(testDescription: "postgres") { PostgresBench() },
    ]

    static let lasting = all.filter(\.isLasting)

    /// Runs a test with an open store, and closes it.
    func withStore(_ body: (any EntityStore, any StoreBench) async throws -> Void) async throws {
        try await withBench { bench in
            let store = try await bench.open()
            do {
                try await body(store, bench)
                await store.closed()
            } catch {
                await store.closed()
                throw error
            }
        }
    }

    /// Runs a test that opens and closes stores itself.
    func withBench(_ body: (any StoreBench) async throws -> Void) async throws {
        let bench = try bench()
        do { try await body(bench) } catch {
            await bench.remove()
            throw error
        }
        await bench.remove()
    }
}

/// A clock that a test moves by hand.
final class StoppedClock: Sendable {
    private let time = Lock(Duration.seconds(1_700_000_000))

    var now: Duration { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}

struct MemoryBench: StoreBench {
    let clock = StoppedClock()

    func open() -> any EntityStore { MemoryStore { [clock] in clock.now } }
    func pass(_ time: Duration) { clock.pass(time) }
    func remove() {}
}
