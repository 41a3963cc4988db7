import ViewModels

/// Who waits for a change of one session: polls and streams, by what they ask.
///
/// A value without locks; it decides who is to be answered, and whoever holds the lock answers after unlocking.
/// Whatever takes a wait out of here is the one that answers it.
struct Waits: Sendable {
    /// How a wait ended.
    enum Outcome: Sendable {
        /// The feed moved on; here is what it says.
        case changed(FeedAnswer)
        /// Nothing happened up to the cursor, which is read under the lock under which the wait was taken out: one read
        /// later might lie after a change that nobody told the client of.
        case idle(FeedAnswer.IdleReason, at: Cursor)
        /// The feed moved on to where it cannot be shown.
        case failed(any Error)
        /// The session is gone.
        case ended
        /// The client is gone.
        case cancelled
    }

    struct Wait: Sendable {
        /// Larger than that of any before.
        let number: UInt64
        /// Whether it is a long-poll, of which a session has only so many.
        let isSupersedable: Bool
        var deadline: DeadlineKey?
        /// Called once, by whoever took the wait out.
        let answer: @Sendable (Outcome) -> Void
    }

    /// Waits that were taken out, oldest first, and what they are told.
    struct Ended: Sendable {
        let waits: [Wait]
        let outcome: Outcome
    }

    private var crowds: [FeedQuery: Crowd] = [:]
    private(set) var count = 0
    private var supersedable = 0
    /// The long-polls, oldest first, with some that are gone; so that the oldest is found without a walk through all, which
    /// the public session may have by the ten thousand.
    private var order: [(number: UInt64, query: FeedQuery)] = []
    private var oldest = 0

    var isEmpty: Bool { count == 0 }

    /// Lets a wait wait.
    ///
    /// - Parameter limit: how many long-polls may wait at once.
    /// - Returns: the oldest long-poll, where there is now one too many.
    mutating func add(_ wait: Wait, for query: FeedQuery, limit: Int) -> (wait: Wait, query: FeedQuery)? {
        crowds[query, default: Crowd()].add(wait)
        count += 1
        guard wait.isSupersedable else { return nil }
        supersedable += 1
        order.append((wait.number, query))
        if order.count > 2 * supersedable + 16 {
            order = order[oldest...].filter { crowds[$0.query]?.has($0.number) == true }
            oldest = 0
        }
        guard supersedable > limit else { return nil }
        while oldest < order.count {
            defer { oldest += 1 }
            let (number, query) = order[oldest]
            if let wait = remove(number, for: query) { return (wait, query) }
        }
        return nil
    }

    /// Notes which deadline ends a wait.
    ///
    /// - Returns: false where the wait is over already.
    mutating func setDeadline(_ deadline: DeadlineKey, of number: UInt64, for query: FeedQuery) -> Bool {
        crowds[query]?.setDeadline(deadline, of: number) ?? false
    }

    mutating func remove(_ number: UInt64, for query: FeedQuery) -> Wait? {
        guard let wait = crowds[query]?.remove(number) else { return nil }
        if crowds[query]?.isEmpty == true { crowds[query] = nil }
        count -= 1
        supersedable -= wait.isSupersedable ? 1 : 0
        return wait
    }

    /// What is asked.
    var queries: [FeedQuery] { Array(crowds.keys) }

    /// Takes out whoever asks the same.
    mutating func removeAll(asking query: FeedQuery) -> [Wait] {
        guard let crowd = crowds.removeValue(forKey: query) else { return [] }
        count -= crowd.count
        supersedable -= crowd.supersedable
        return crowd.waits
    }

    /// Takes out everybody.
    mutating func removeAll(telling outcome: Outcome) -> [Ended] {
        removeAll { _ in outcome }
    }

    /// Removes the waits whose query now has an answer.
    mutating func removeAll(telling outcome: (FeedQuery) -> Outcome?) -> [Ended] {
        let told = crowds.compactMap { query, crowd in
            outcome(query).map { (query: query, crowd: crowd, outcome: $0) }
        }
        for (query, crowd, _) in told {
            crowds[query] = nil
            count -= crowd.count
            supersedable -= crowd.supersedable
        }
        return told.map { Ended(waits: $0.crowd.waits, outcome: $0.outcome) }
    }
}

/// Those who ask the same; taken out as a whole, without touching each.
private struct Crowd: Sendable {
    /// Oldest first, with a gap for each that is gone.
    private var slots: [Waits.Wait?] = []
    private var slotOfNumber: [UInt64: Int] = [:]
    private(set) var supersedable = 0

    var count: Int { slotOfNumber.count }
    var isEmpty: Bool { slotOfNumber.isEmpty }
    var waits: [Waits.Wait] { slots.compactMap { $0 } }

    func has(_ number: UInt64) -> Bool { slotOfNumber[number] != nil }

    mutating func add(_ wait: Waits.Wait) {
        slotOfNumber[wait.number] = slots.count
        slots.append(wait)
        supersedable += wait.isSupersedable ? 1 : 0
    }

    mutating func setDeadline(_ deadline: DeadlineKey, of number: UInt64) -> Bool {
        guard let slot = slotOfNumber[number] else { return false }
        slots[slot]?.deadline = deadline
        return true
    }

    mutating func remove(_ number: UInt64) -> Waits.Wait? {
        guard let slot = slotOfNumber.removeValue(forKey: number), let wait = slots[slot].take() else { return nil }
        supersedable -= wait.isSupersedable ? 1 : 0
        if slots.count > 2 * count + 16 { closeGaps() }
        return wait
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        for (slot, wait) in slots.enumerated() {
            if let wait { slotOfNumber[wait.number] = slot }
        }
    }
}
