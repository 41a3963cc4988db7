import Dispatch
import Locking

/// A line of work before the threads that do it.
///
/// Whoever appends is never held up; a thread that finds nothing sleeps until something comes.
package final class Line<Work: Sendable>: Sendable {
    private struct State {
        /// What was taken is nil: the head moves along instead of the rest.
        private var waiting: [(work: Work, weight: Int)?] = []
        private var first = 0
        var sleepers = 0
        var isClosed = false

        var isEmpty: Bool { first == waiting.count }

        mutating func append(_ work: Work, _ weight: Int) { waiting.append((work, weight)) }

        mutating func take(upTo limit: Int, _ most: Int) -> [Work] {
            var end = first
            var sum = 0
            while end < waiting.count, end - first < limit, let next = waiting[end] {
                sum += next.weight
                if sum > most, end > first { break }
                end += 1
            }
            let work = waiting[first..<end].compactMap { $0?.work }
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
    private let most: Int
    private let weight: @Sendable (Work) -> Int

    /// An open line without work.
    ///
    /// - Parameters:
    ///   - most: how much of what waits is taken at once, by weight; one is taken however heavy it is.
    ///   - weight: what a piece of work weighs.
    package init(most: Int = .max, weighing weight: @escaping @Sendable (Work) -> Int = { _ in 0 }) {
        (self.most, self.weight) = (most, weight)
    }

    /// Appends to the line.
    ///
    /// - Returns: false where the line is closed; the work will not be done.
    package func append(_ work: Work) -> Bool {
        let weight = weight(work)
        let (isOpen, wakes) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.append(work, weight)
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
                guard state.isEmpty else { return (state.take(upTo: limit, most), false) }
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
