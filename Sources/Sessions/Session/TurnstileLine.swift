/// Who stands before a ``Turnstile``: the pure half of it, a queue whose head moves along instead of the rest.
struct TurnstileLine: Sendable {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var first = 0

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
        defer { first += 1 }
        return waiting[first]
    }
}
