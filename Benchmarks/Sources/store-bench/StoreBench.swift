import BinderyKit
import Foundation

/// Measures stores, without sessions' view models and without HTTP.
///
/// - `store-bench DIRECTORY [SECONDS]`: commits a second of each store, for one session and for 1,000, by 64 clients. The
///   flush of the disk is measured beside it, because it is what durability power waits for.
/// - `store-bench DIRECTORY --fill SESSIONS`: whether memory and commit times stay as they were; script/million-sessions.
@main
enum StoreBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            print("usage: store-bench DIRECTORY [SECONDS] | store-bench DIRECTORY --fill SESSIONS")
            exit(64)
        }
        if arguments.count == 4, arguments[2] == "--fill", let count = Int(arguments[3]) {
            return try await Fill(directory: arguments[1], count: count).run()
        }
        let duration = Duration.seconds(arguments.count > 2 ? Int(arguments[2]) ?? 3 : 3)
        print("flush of 4 KiB, median:", Int(flushTime(in: arguments[1]) / .microseconds(1)), "µs")
        for kind in ["memory", "process", "power"] {
            for sessions in [1, 1000] {
                let path = arguments[1] + "/store-bench.db"
                let store = try open(kind, at: path)
                let owners = (0..<sessions).map { _ in Owner() }
                for owner in owners { try await store.commit(owner.creation) }
                let result = await Load(store: store, owners: owners, clients: 64, duration: duration).run()
                report("\(kind), \(sessions) sessions", result)
                await store.close()
                remove(path)
            }
        }
    }

    static func report(_ name: String, _ result: (rate: Double, latencies: [Duration])) {
        let at = { (share: Double) in
            result.latencies.isEmpty
                ? 0 : Int(result.latencies[Int(Double(result.latencies.count - 1) * share)] / .microseconds(1))
        }
        print(
            name.padding(toLength: max(name.count, 22), withPad: " ", startingAt: 0),
            String(
                format: "%8.0f commits/s   p50 %6d µs   p99 %6d µs   longest %6d µs", result.rate, at(0.5), at(0.99),
                at(1)))
    }

    static func open(_ kind: String, at path: String) throws -> any SessionStore {
        guard let durability = SQLiteStore.Durability(rawValue: kind) else { return MemoryStore() }
        return try SQLiteStore(path: path, durability: durability, log: PrintedWarnings())
    }

    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }

    static func flushTime(in directory: String) -> Duration {
        let path = directory + "/store-bench-flush"
        let file = Glibc.open(path, O_RDWR | O_CREAT, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        let page = [UInt8](repeating: 1, count: 4096)
        let times = (0..<500).map { number in
            pwrite(file, page, page.count, off_t(number % 100 * page.count))
            return ContinuousClock().measure { fdatasync(file) }
        }
        return times.sorted()[250]
    }
}
