import Dispatch
import Locking

/// A line of work before the threads that do it.
///
/// Whoever appends is never held up; a thread that finds nothing sleeps until something comes.
package final class Line<Work: Sendable>: Sendable {
    private struct State {
        /// What was taken is nil: the head moves along instead of the rest.
        private var waiting: [Work?] = []
        private var first = 0
        var sleepers = 0
        var isClosed = false

        var isEmpty: Bool { first == waiting.count }

        mutating func append(_ work: Work) { waiting.append(work) }

        mutating func take(upTo limit: Int) -> [Work] {
            let end = first + min(limit, waiting.count - first)
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

    /// An open line without work.
    package init() {}

    /// Appends to the line.
    ///
    /// - Returns: false where the line is closed; the work will not be done.
    package func append(_ work: Work) -> Bool {
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
    /// - Parameter sleeps: false for nothing, where nothing waits.
    /// - Returns: nil once the line is closed and empty.
    package func take(upTo limit: Int, sleeps: Bool = true) -> [Work]? {
        while true {
            let (work, isOver): ([Work], Bool) = state.withLock { state in
                guard state.isEmpty else { return (state.take(upTo: limit), false) }
                if !state.isClosed, sleeps { state.sleepers += 1 }
                return ([], state.isClosed)
            }
            if isOver { return nil }
            guard work.isEmpty, sleeps else { return work }
            bell.wait()
        }
    }

    /// Takes no more work; what waits is still done.
    package func close() {
        let sleepers = state.withLock { state in
            state.isClosed = true
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { bell.signal() }
    }
}
