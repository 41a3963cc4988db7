import ViewModels

/// Who waits for a change of one session: polls and streams, by what they ask.
///
/// A value without locks; it decides who is to be answered, and whoever holds the lock answers after unlocking.
/// Whatever takes a poll out of here is the one that answers it.
struct WaitingPolls: Sendable {
    /// How a wait ended.
    enum Outcome: Sendable {
        /// The feed moved on; here is what it says.
        case changed(FeedAnswer)
        /// Nothing happened up to the cursor, which is read under the lock under which the poll was taken out: one read
        /// later might lie after a change that nobody told the client of.
        case idle(FeedAnswer.IdleReason, at: Cursor)
        /// The feed moved on to where it cannot be read.
        case unreadable(ModelUnreadable)
        /// The session is gone.
        case ended
        /// The client is gone.
        case cancelled
    }

    struct Poll: Sendable {
        /// Larger than that of any before.
        let number: UInt64
        /// Whether it is a long-poll, of which a session has only so many.
        let isSupersedable: Bool
        var deadline: DeadlineKey?
        /// Called once, by whoever took the poll out.
        let answer: @Sendable (Outcome) -> Void
    }

    /// Polls that were taken out, oldest first, and what they are told.
    struct Told: Sendable {
        let polls: [Poll]
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

    /// Lets a poll wait.
    ///
    /// - Parameter limit: how many long-polls may wait at once.
    /// - Returns: the oldest long-poll, where there is now one too many.
    mutating func add(_ poll: Poll, for query: FeedQuery, limit: Int) -> (poll: Poll, query: FeedQuery)? {
        crowds[query, default: Crowd()].add(poll)
        count += 1
        guard poll.isSupersedable else { return nil }
        supersedable += 1
        order.append((poll.number, query))
        if order.count > 2 * supersedable + 16 {
            order = order[oldest...].filter { crowds[$0.query]?.has($0.number) == true }
            oldest = 0
        }
        guard supersedable > limit else { return nil }
        while oldest < order.count {
            defer { oldest += 1 }
            let (number, query) = order[oldest]
            if let poll = remove(number, for: query) { return (poll, query) }
        }
        return nil
    }

    /// Notes which deadline ends a wait.
    ///
    /// - Returns: false where the wait is over already.
    mutating func setDeadline(_ deadline: DeadlineKey, of number: UInt64, for query: FeedQuery) -> Bool {
        crowds[query]?.setDeadline(deadline, of: number) ?? false
    }

    mutating func remove(_ number: UInt64, for query: FeedQuery) -> Poll? {
        guard let poll = crowds[query]?.remove(number) else { return nil }
        if crowds[query]?.isEmpty == true { crowds[query] = nil }
        count -= 1
        supersedable -= poll.isSupersedable ? 1 : 0
        return poll
    }

    /// What is asked.
    var queries: [FeedQuery] { Array(crowds.keys) }

    /// Takes out whoever asks the same.
    mutating func removeAll(asking query: FeedQuery) -> [Poll] {
        guard let crowd = crowds.removeValue(forKey: query) else { return [] }
        count -= crowd.count
        supersedable -= crowd.supersedable
        return crowd.polls
    }

    /// Takes out everybody.
    mutating func removeAll(telling outcome: Outcome) -> [Told] {
        removeAll { _ in outcome }
    }

    /// Takes out whoever asks for what there is something to say to.
    mutating func removeAll(telling outcome: (FeedQuery) -> Outcome?) -> [Told] {
        let told = crowds.compactMap { query, crowd in
            outcome(query).map { (query: query, crowd: crowd, outcome: $0) }
        }
        for (query, crowd, _) in told {
            crowds[query] = nil
            count -= crowd.count
            supersedable -= crowd.supersedable
        }
        return told.map { Told(polls: $0.crowd.polls, outcome: $0.outcome) }
    }
}

/// Those who ask the same; taken out as a whole, without touching each.
private struct Crowd: Sendable {
    /// Oldest first, with a gap for each that is gone.
    private var slots: [WaitingPolls.Poll?] = []
    private var slotOfNumber: [UInt64: Int] = [:]
    private(set) var supersedable = 0

    var count: Int { slotOfNumber.count }
    var isEmpty: Bool { slotOfNumber.isEmpty }
    var polls: [WaitingPolls.Poll] { slots.compactMap { $0 } }

    func has(_ number: UInt64) -> Bool { slotOfNumber[number] != nil }

    mutating func add(_ poll: WaitingPolls.Poll) {
        slotOfNumber[poll.number] = slots.count
        slots.append(poll)
        supersedable += poll.isSupersedable ? 1 : 0
    }

    mutating func setDeadline(_ deadline: DeadlineKey, of number: UInt64) -> Bool {
        guard let slot = slotOfNumber[number] else { return false }
        slots[slot]?.deadline = deadline
        return true
    }

    mutating func remove(_ number: UInt64) -> WaitingPolls.Poll? {
        guard let slot = slotOfNumber.removeValue(forKey: number), let poll = slots[slot].take() else { return nil }
        supersedable -= poll.isSupersedable ? 1 : 0
        if slots.count > 2 * count + 16 { closeGaps() }
        return poll
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        for (slot, poll) in slots.enumerated() {
            if let poll { slotOfNumber[poll.number] = slot }
        }
    }
}
