import BinderyKit
import Foundation
import Synchronization

/// Fills a file with sessions, and says at each tenth how large the process and the file are, and how long commits take.
struct Fill {
    let directory: String
    let count: Int

    func run() async throws {
        let path = directory + "/store-bench-fill.db"
        let store = try SQLiteStore(path: path, durability: .power, log: PrintedWarnings())
        for _ in 1...10 {
            let created = ContinuousClock.now
            for _ in 0..<(count / 10_000) { try await create(1000, in: store) }
            let seconds = (ContinuousClock.now - created) / .seconds(1)
            // Sessions of the last tenth, in the order in which they came, as those that are in use are of about one age.
            let owners = (0..<1000).map { _ in Owner() }
            for owner in owners { try await store.commit(owner.creation) }
            let result = await Load(store: store, owners: owners, clients: 64, duration: .seconds(2)).run()
            let flush = Int(StoreBench.flushTime(in: directory) / .microseconds(1))
            print(
                String(
                    format: "%8d sessions, file %4d MiB, RSS %3d MiB, %6.0f created/s, flush %4d µs;", store.count(),
                    size(path), residentMemory(), Double(count) / 10 / seconds, flush),
                terminator: " ")
            StoreBench.report("then", result)
        }
        await store.close()
        let opened = try ContinuousClock().measure { _ = try SQLiteStore(path: path) }
        print("opening it again:", opened)
        StoreBench.remove(path)
    }

    private func create(_ count: Int, in store: SQLiteStore) async throws {
        await withCheckedContinuation { continuation in
            let box = Countdown(2 * count) { continuation.resume() }
            for _ in 0..<count {
                let owner = Owner()
                store.submit(owner.creation) { _ in box.count() }
                owner.step(on: store) { _ in box.count() }
            }
        }
    }

    /// In MiB, by proc(5).
    private func residentMemory() -> Int {
        let text = (try? FileHandle(forReadingAtPath: "/proc/self/statm")?.readToEnd()) ?? Data()
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ").map { Int($0) ?? 0 }
        return fields.count > 1 ? (fields[1] * sysconf(Int32(_SC_PAGESIZE))) >> 20 : 0
    }

    private func size(_ path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int ?? 0) >> 20
    }
}

/// Does something when it has been counted down.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, then done: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.done = done
    }

    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
