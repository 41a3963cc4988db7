import Dispatch
import Entities
import Foundation
import Locking
import SQLiteStore

/// A process of its own with a store, for tests that need a second process or a kill.
@main
enum StoreChild {
    static func main() {
        let arguments = CommandLine.arguments
        do {
            let store = try SQLiteStore(arguments[2], SQLiteStore.Settings())
            switch arguments[1] {
            case "hold": hold(store)
            case "commit": commit(to: store)
            default: exit(64)
            }
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    /// Keeps a store open until standard input ends, and does not close it.
    private static func hold(_ store: SQLiteStore) {
        say("open")
        while readLine() != nil {}
        withExtendedLifetime(store) {}
    }

    /// Commits without end to eight entities, and says which actions were acknowledged.
    private static func commit(to store: SQLiteStore) {
        let environment = Environment(
            store: store, kinds: EntityKinds(sessions: Tally()), executor: Executor(threads: 1), timer: TimerThread())
        for name in 0..<8 {
            let client = Client("orders/\(name)", environment) { client, outcome, number in
                if case .done = outcome { say("orders/\(name) \(number)") } else { say("failed") }
                client.act()
            }
            client.act()
            client.act()
        }
        DispatchSemaphore(value: 0).wait()
    }

    /// Says a line by one write(2), which is whole in a pipe.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
