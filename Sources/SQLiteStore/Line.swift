import Dispatch
import Foundation
import Locking

/// A line of work before the threads that do it.
///
/// Whoever appends is never held up; a thread that finds nothing sleeps until something comes.
final class Line<Work: Sendable>: Sendable {
    private struct State {
        /// What was taken is nil: the head moves along instead of the rest.
        private var waiting: [Work?] = []
        private var first = 0
        var sleepers = 0
        var isClosed = false

        var isEmpty: Bool { first == waiting.count }

        mutating func append(_ work: Work) { waiting.append(work) }

        mutating func take(upTo limit: Int) -> [Work] {
            let end = min(waiting.count, first + limit)
            let work = waiting[first..<end].compactMap { $0 }
            for place in first..<end { waiting[place] = nil }
            first = end
            if 2 * first >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return work
        }
    }

    private let state = Lock(State())
    private let bell = DispatchSemaphore(value: 0)

    /// Appends to the line.
    ///
    /// - Returns: false where the line is closed; the work will not be done.
    func append(_ work: Work) -> Bool {
        let (isOpen, wakes) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.append(work)
            guard state.sleepers > 0 else { return (true, false) }
            state.sleepers -= 1
            return (true, true)
        }
        if wakes { bell.signal() }
        return isOpen
    }

    /// Takes what waits, the oldest first and at most so much; sleeps where nothing does.
    ///
    /// - Returns: nil once the line is closed and empty.
    func take(upTo limit: Int) -> [Work]? {
        while true {
            let (work, isOver): ([Work], Bool) = state.withLock { state in
                guard state.isEmpty else { return (state.take(upTo: limit), false) }
                if !state.isClosed { state.sleepers += 1 }
                return ([], state.isClosed)
            }
            if isOver { return nil }
            guard work.isEmpty else { return work }
            bell.wait()
        }
    }

    /// Takes no more work; what waits is still done.
    func close() {
        let sleepers = state.withLock { state in
            state.isClosed = true
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { bell.signal() }
    }
}

/// A thread of its own, for work that blocks.
///
/// What it works with it opens itself and shows to nobody else: none of it has to be Sendable.
enum Worker {
    /// Starts a thread, and returns when it has begun.
    ///
    /// - Parameter body: what the thread does; it reports once whether it could begin.
    /// - Throws: what the thread reports.
    static func start(
        named name: String, _ body: @escaping @Sendable (Beginning) -> Void
    ) throws(SQLiteStoreError) {
        let beginning = Beginning()
        let thread = Thread { body(beginning) }
        thread.name = name
        thread.start()
        try beginning.wait()
    }

    /// Whether a thread could begin.
    final class Beginning: Sendable {
        private let outcome = Lock<Result<Void, SQLiteStoreError>>(.success(()))
        private let hasBegun = DispatchSemaphore(value: 0)

        /// Says so, once.
        func report(_ result: Result<Void, SQLiteStoreError>) {
            outcome.withLock { $0 = result }
            hasBegun.signal()
        }

        fileprivate func wait() throws(SQLiteStoreError) {
            hasBegun.wait()
            try outcome.withLock { $0 }.get()
        }
    }
}

/// Something that happens once, and those who wait for it.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Says that it has happened.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it has happened.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
