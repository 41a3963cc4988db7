/// Who stands before a ``Turnstile``: the pure half of it, a queue whose head moves along instead of the rest.
struct TurnstileLine: Sendable {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var first = 0

    /// How many stand in line.
    var count: Int { waiting.count - first }
    /// How many places are kept, those who have gone through among them.
    var storage: Int { waiting.count }

    /// - Returns: whether the way was free; the caller now holds the turn.
    mutating func enter() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }

    /// Enters, or stands in line.
    mutating func enter(or continuation: CheckedContinuation<Void, Never>) -> Bool {
        if enter() { return true }
        waiting.append(continuation)
        return false
    }

    /// Ends a turn.
    ///
    /// - Returns: the next in line, who now holds the turn.
    mutating func leave() -> CheckedContinuation<Void, Never>? {
        guard first < waiting.count else {
            isTaken = false
            waiting.removeAll(keepingCapacity: waiting.capacity <= 16)
            first = 0
            return nil
        }
        defer { moveUp() }
        return waiting[first]
    }

    /// Counts the head as gone, and forgets those who have gone once they are the greater part: a line that never
    /// empties must not grow for ever.
    private mutating func moveUp() {
        first += 1
        guard first >= 16, first * 2 >= waiting.count else { return }
        waiting.removeFirst(first)
        first = 0
    }
}
