import BinderyKit
import Synchronization

/// A session as its owner knows it: where its latest submitted commit leads.
final class Owner: Sendable {
    /// As long as the digest of a token.
    let id = SessionID(
        rawValue: (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined())
    let creation: Commit
    private let head: Mutex<SessionHead>

    init() {
        let history = SessionHistory(beginningIn: 1)
        let beginning = SessionHead(version: .first(), seq: 0, history: history)
        creation = Commit(id: id, base: nil, head: beginning, language: .japanese, end: Load.end)
        head = Mutex(beginning)
    }

    /// Submits the next step; under the lock, because its place in the line is its place in the history.
    func step(on store: any SessionStore, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        head.withLock { head in
            let base = head.version
            head = SessionHead(version: base.next(), seq: head.seq + 1, history: head.history)
            let commit = Commit(
                id: id, base: base, head: head, language: .japanese, end: Load.end,
                viewModels: [Load.viewModel(head.seq)])
            store.submit(commit, then: done)
        }
    }
}

/// Commits, as a number of clients make them, each waiting for its answer before it goes on.
struct Load {
    static let end = TimeOfDay(secondsSince1970: 1 << 40)

    let store: any SessionStore
    let owners: [Owner]
    let clients: Int
    let duration: Duration

    static func viewModel(_ seq: UInt64) -> ViewModelRecord {
        let count = Array(String(seq).utf8)
        return ViewModelRecord(
            name: "counter", model: Array(#"{"count":"#.utf8) + count + [0x7d],
            outputs: [
                OutputRecord(name: "text", value: [0x22] + count + [0x22], seq: seq),
                OutputRecord(name: "enabled", value: Array("true".utf8), seq: 1),
                OutputRecord(name: "alpha", value: Array("1".utf8), seq: 1),
            ])
    }

    /// - Returns: how many commits a second there were, and how long they took.
    func run() async -> (rate: Double, latencies: [Duration]) {
        let start = ContinuousClock.now
        let end = start + duration
        var latencies = await withTaskGroup(of: [Duration].self) { group in
            for _ in 0..<clients { group.addTask { await client(until: end) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        latencies.sort()
        return (Double(latencies.count) / seconds, latencies)
    }

    private func client(until end: ContinuousClock.Instant) async -> [Duration] {
        var latencies: [Duration] = []
        var now = ContinuousClock.now
        while now < end {
            let owner = owners[Int.random(in: owners.indices)]
            let failure = await withCheckedContinuation { continuation in
                owner.step(on: store) { continuation.resume(returning: $0) }
            }
            precondition(failure == nil, "a commit failed")
            let then = ContinuousClock.now
            latencies.append(then - now)
            now = then
        }
        return latencies
    }
}
