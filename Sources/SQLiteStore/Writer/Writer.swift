import Dispatch
import Entities
import Foundation
import Locking
import StoreParts

/// Two threads that take turns: while one writes, the other may hand results back.
///
/// One thread at a time is the writer. It takes all that waits, writes it as one transaction, and gives the role away before it
/// calls back. So a callback that runs an action holds up no commit, and a result needs no second change of threads.
final class Writer: Sendable {
    /// What waits for the writer.
    enum Work: Sendable {
        case write(Write)
        /// Housekeeping, in transactions of its own; it returns the call that answers.
        case job(@Sendable (Transactions) -> @Sendable () -> Void)
        case close(@Sendable () -> Void)
    }

    /// A result on its way to its callback.
    private enum Result: Sendable {
        case write([@Sendable (CommitResult) -> Void], CommitResult)
        case call(@Sendable () -> Void)
    }

    private struct Queue: Sendable {
        var work: [Work] = []
        var isWriting = false
        var idleThreads = 0
        var isClosed = false
        /// The threads end.
        var isOver = false

        /// Gives the role of the writer to an idle thread; true if the caller has to wake it.
        mutating func wakesThread() -> Bool {
            guard idleThreads > 0, takesRole() else { return false }
            idleThreads -= 1
            return true
        }

        /// Takes the role of the writer if there is work for it.
        mutating func takesRole() -> Bool {
            guard !isWriting, !work.isEmpty else { return false }
            isWriting = true
            return true
        }
    }

    /// What belongs to the role of the writer.
    ///
    /// Nobody waits for its lock: the role keeps other threads away. So I/O inside it holds up nothing.
    private struct State {
        /// Nil once the store is closed.
        var transactions: Transactions?
        var lock: FileLock?
    }

    private let queue = Lock(Queue())
    private let state: Lock<State>
    private let outbox = Lock((results: [Result](), isHandingOut: false))
    private let wake = DispatchSemaphore(value: 0)
    private let readers: Readers

    /// Takes the connection and the lock, and starts the threads.
    init(_ transactions: sending Transactions, _ lock: FileLock, _ readers: Readers) {
        state = Lock(State(transactions: transactions, lock: lock))
        self.readers = readers
        queue.withLock { $0.idleThreads = 2 }
        for _ in 0..<2 { Thread.start(named: "sqlite-writer") { [self] in run() } }
    }

    /// Takes work; false once the store is closed.
    func add(_ work: Work) -> Bool {
        let (isTaken, wakes) = queue.withLock { queue in
            guard !queue.isClosed else { return (false, false) }
            if case .close = work { queue.isClosed = true }
            queue.work.append(work)
            return (true, queue.wakesThread())
        }
        if wakes { wake.signal() }
        return isTaken
    }

    /// A thread waits until it is given the role of the writer, and keeps it as long as work waits.
    private func run() {
        while true {
            wake.wait()
            if queue.withLock({ $0.isOver }) { return }
            repeat {
                let work = queue.withLock { queue in
                    defer { queue.work = [] }
                    return queue.work
                }
                perform(work)
                let wakes = queue.withLock { queue in
                    queue.isWriting = false
                    return queue.wakesThread()
                }
                if wakes { wake.signal() }
                handOut()
            } while queue.withLock { queue in
                if queue.takesRole() { return true }
                queue.idleThreads += 1
                return false
            }
        }
    }

    // MARK: The writer's role

    /// Does what waits, and appends the results.
    private func perform(_ work: [Work]) {
        state.withLock { state in
            guard let transactions = state.transactions else { return }
            var results = Self.write(work, transactions)
            for piece in work {
                switch piece {
                case .write: break
                case .job(let job): results.append(.call(job(transactions)))
                case .close(let done):
                    results.append(.call { [self] in readers.close { [self] in letGo(then: done) } })
                }
            }
            outbox.withLock { $0.results += results }
        }
    }

    /// Writes what waits, in one group unless commits of an entity do not build on each other.
    private static func write(_ work: [Work], _ transactions: Transactions) -> [Result] {
        var results: [Result] = []
        var waiting: [Write] = []
        for case .write(let write) in work { waiting.append(write) }
        while !waiting.isEmpty {
            let group = Group(waiting)
            for (item, result) in zip(group.writes, transactions.write(group)) {
                results.append(.write(item.done, result))
            }
            waiting = group.rest
        }
        return results
    }

    /// Closes the file and ends the threads; SQLite writes the log into the file, as this is the last connection.
    private func letGo(then done: @Sendable () -> Void) {
        state.withLock { state in
            state.transactions = nil
            state.lock = nil
        }
        queue.withLock { $0.isOver = true }
        for _ in 0..<2 { wake.signal() }
        done()
    }

    // MARK: Results

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
                case .write(let callbacks, let result): for done in callbacks { done(result) }
                case .call(let call): call()
                }
            }
            outbox.withLock { $0.isHandingOut = false }
        }
    }
}
