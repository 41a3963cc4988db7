import Dispatch
import Entities
import Foundation
import Locking
import SQLiteStore

/// A process of its own with a store, for tests that need a second process or a kill, and for figures.
@main
enum StoreChild {
    static func main() {
        let arguments = CommandLine.arguments
        do {
            switch arguments.dropFirst().first {
            case "hold": try hold(arguments[2])
            case "commit": try commit(arguments[2])
            case "measure": try measure(arguments[2])
            default: exit(64)
            }
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    /// Keeps a store open until standard input ends, and does not close it.
    private static func hold(_ path: String) throws {
        let store = try SQLiteStore(path, settings())
        say("open")
        while readLine() != nil {}
        withExtendedLifetime(store) {}
    }

    /// Commits without end to eight entities, and says which actions were acknowledged.
    private static func commit(_ path: String) throws {
        let environment = environment(try SQLiteStore(path, settings()))
        for name in 0..<8 {
            let client = Client("orders/\(name)", environment, hasKeys: true) { client, outcome, number in
                if case .done = outcome { say("orders/\(name) \(number)") } else { say("failed") }
                client.act()
            }
            client.act()
            client.act()
        }
        DispatchSemaphore(value: 0).wait()
    }

    /// Prints microseconds for each action: over one session and over 64, on each store.
    private static func measure(_ directory: String) throws {
        let start = ContinuousClock.now
        try measure("memory", MemoryStore { ContinuousClock.now - start }, 200_000)
        for durability in SQLiteStore.Durability.allCases {
            var settings = settings()
            settings.durability = durability
            let path = "\(directory)/\(durability.rawValue).db"
            let store = try SQLiteStore(path, settings)
            try measure(durability.rawValue, store, durability == .power ? 5_000 : 50_000)
            let closed = DispatchSemaphore(value: 0)
            store.close { closed.signal() }
            closed.wait()
        }
    }

    private static func measure(_ name: String, _ store: any EntityStore, _ actions: Int) throws {
        for (sessions, actions, hasKeys) in [(1, actions, false), (64, actions * 4, false), (64, 40_000, true)] {
            let time = run(store, sessions, actions, hasKeys)
            say("\(name), sessions: \(sessions), keys: \(hasKeys): " + String(format: "%.2f µs", time))
        }
    }

    private static func run(_ store: any EntityStore, _ sessions: Int, _ actions: Int, _ hasKeys: Bool) -> Double {
        let environment = environment(store)
        let left = Lock(actions)
        let finished = DispatchSemaphore(value: 0)
        let clients = (0..<sessions).map { number in
            Client("\(UUID()) \(number)", environment, hasKeys: hasKeys) { client, outcome, _ in
                guard case .done = outcome else { fatalError("\(outcome)") }
                let rest = left.withLock { left in
                    left -= 1
                    return left
                }
                if rest == 0 { finished.signal() }
                if rest >= sessions { client.act() }
            }
        }
        let start = ContinuousClock.now
        // The first call drives a memory store to its end, so each client has a thread.
        for client in clients { DispatchQueue.global().async { client.act() } }
        finished.wait()
        return (ContinuousClock.now - start) / .microseconds(1) / Double(actions)
    }

    private static func settings() -> SQLiteStore.Settings {
        let start = ContinuousClock.now
        return SQLiteStore.Settings(
            now: { .milliseconds(Int64(Date().timeIntervalSince1970 * 1_000)) },
            monotonic: { ContinuousClock.now - start })
    }

    private static func environment(_ store: any EntityStore) -> Environment {
        // The bound of keys is not what is measured.
        var limits = EntityCore.Limits()
        limits.keys = .max
        return Environment(
            store: store, kinds: EntityKinds(sessions: Tally()), executor: Executor(threads: 1), timer: TimerThread(),
            limits: limits)
    }

    /// Says a line by one write(2), which is whole in a pipe.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
