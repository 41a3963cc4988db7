import Dispatch
import Entities
import Foundation
import Locking
import StoreParts

/// Two threads that take turns: while one writes, the other can call back with results.
///
/// One thread at a time is the writer. It writes all queued work as one transaction, and gives up the role before it calls
/// back. So a long callback delays no commit, and a result needs no second change of threads.
final class Writer: Sendable {
    /// Work that waits for the writer.
    enum Work: Sendable {
        case write(Write)
        /// Housekeeping, in transactions of its own; it returns the call that answers.
        case job(@Sendable (Transactions) -> @Sendable () -> Void)
    }

    /// A result on its way to its callback.
    private enum Result: Sendable {
        case write(Group.Item, CommitResult)
        case call(@Sendable () -> Void)
    }

    private struct Queue: Sendable {
        var work: [Work] = []
        var isWriting = false
        var isClosed = false

        /// Takes the role of the writer and the queued work; nil if no work waits, or the other thread has the role.
        mutating func begin() -> [Work]? {
            guard !isWriting, !work.isEmpty else { return nil }
            isWriting = true
            defer { work = [] }
            return work
        }
    }

    /// The objects that only the writer uses.
    ///
    /// No thread waits for its lock, because only one thread is the writer. So I/O under the lock delays no thread.
    private struct State {
        let transactions: Transactions
        let lock: FileLock
    }

    private let queue = Lock(Queue())
    private let wake = DispatchSemaphore(value: 0)
    /// Nil once the store is closed.
    private let state: Lock<State?>
    private let outbox = Lock((results: [Result](), isHandingOut: false))
    /// Empty once both threads have ended.
    private let threads = DispatchGroup()
    private let readers: Readers

    /// Takes the connection and the lock, and starts the threads.
    init(_ transactions: sending Transactions, _ lock: FileLock, _ readers: Readers) {
        state = Lock(State(transactions: transactions, lock: lock))
        self.readers = readers
        for _ in 0..<2 {
            threads.enter()
            Thread.start(named: "sqlite-writer") { [self] in
                run()
                threads.leave()
            }
        }
    }

    /// Takes work; false once the store is closed.
    func add(_ work: Work) -> Bool {
        let (isTaken, wakes) = queue.withLock { queue in
            guard !queue.isClosed else { return (false, false) }
            queue.work.append(work)
            return (true, !queue.isWriting && queue.work.count == 1)
        }
        if wakes { wake.signal() }
        return isTaken
    }

    /// Finishes the queued work and closes the file; as the last connection, SQLite then writes the log into the file.
    func close(then done: @escaping @Sendable () -> Void) {
        queue.withLock { $0.isClosed = true }
        for _ in 0..<2 { wake.signal() }
        threads.notify(queue: .global()) { [self] in
            readers.close { [self] in
                state.withLock { $0 = nil }
                done()
            }
        }
    }

    /// Each thread is the writer while work waits and the other thread does not write.
    private func run() {
        while true {
            let (work, isOver) = queue.withLock { ($0.begin(), $0.isClosed) }
            if let work {
                perform(work)
                let hasMore = queue.withLock { queue in
                    queue.isWriting = false
                    return !queue.work.isEmpty
                }
                if hasMore { wake.signal() }
                handOut()
            } else if isOver {
                return
            } else {
                wake.wait()
            }
        }
    }

    /// Does the work, and appends the results to the outbox.
    private func perform(_ work: [Work]) {
        state.withLock { state in
            guard let transactions = state?.transactions else { return }
            var results = Self.write(work, transactions)
            for case .job(let job) in work { results.append(.call(job(transactions))) }
            outbox.withLock { $0.results += results }
        }
    }

    /// Writes the commits, in one group unless commits of an entity do not build on each other.
    private static func write(_ work: [Work], _ transactions: Transactions) -> [Result] {
        var results: [Result] = []
        var waiting: [Write] = []
        for case .write(let write) in work { waiting.append(write) }
        while !waiting.isEmpty {
            let group = Group(waiting)
            for (item, result) in zip(group.items, transactions.write(group)) { results.append(.write(item, result)) }
            waiting = group.rest
        }
        return results
    }

    /// Calls back, one thread at a time, so that the results of an entity come in their order.
    private func handOut() {
        while true {
            let results = outbox.withLock { outbox -> [Result] in
                guard !outbox.isHandingOut, !outbox.results.isEmpty else { return [] }
                outbox.isHandingOut = true
                defer { outbox.results = [] }
                return outbox.results
            }
            guard !results.isEmpty else { return }
            for result in results {
                switch result {
                case .write(let item, let result): item.settle(result)
                case .call(let call): call()
                }
            }
            outbox.withLock { $0.isHandingOut = false }
        }
    }
}
