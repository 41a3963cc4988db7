/// Who waits for a change of one session: polls and streams, oldest first.
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
        /// The session is gone.
        case ended
        /// The client is gone.
        case cancelled
    }

    struct Poll: Sendable {
        let query: FeedQuery
        /// Whether it is a long-poll, of which a session has only so many.
        let isSupersedable: Bool
        var deadline: UInt64?
        /// Called once, by whoever took the poll out.
        let answer: @Sendable (Outcome) -> Void
    }

    private var polls: [UInt64: Poll] = [:]
    private var supersedable = 0
    /// The long-polls' numbers, oldest first, with some that are gone; so that the oldest is found without a walk through
    /// all, which the public session may have by the ten thousand.
    private var order: [UInt64] = []
    private var oldest = 0

    var isEmpty: Bool { polls.isEmpty }
    var count: Int { polls.count }

    /// Lets a poll wait.
    ///
    /// - Parameters:
    ///   - id: larger than any before.
    ///   - limit: how many long-polls may wait at once.
    /// - Returns: the oldest long-poll, where there is now one too many.
    mutating func add(_ poll: Poll, as id: UInt64, limit: Int) -> Poll? {
        polls[id] = poll
        guard poll.isSupersedable else { return nil }
        supersedable += 1
        order.append(id)
        if order.count > 2 * supersedable + 16 {
            order = order[oldest...].filter { polls[$0] != nil }
            oldest = 0
        }
        guard supersedable > limit else { return nil }
        while oldest < order.count {
            defer { oldest += 1 }
            if let poll = remove(order[oldest]) { return poll }
        }
        return nil
    }

    /// Notes which deadline ends a wait.
    ///
    /// - Returns: false where the wait is over already.
    mutating func setDeadline(_ deadline: UInt64, for id: UInt64) -> Bool {
        polls[id]?.deadline = deadline
        return polls[id] != nil
    }

    mutating func remove(_ id: UInt64) -> Poll? {
        guard let poll = polls.removeValue(forKey: id) else { return nil }
        if poll.isSupersedable { supersedable -= 1 }
        return poll
    }

    mutating func removeAll() -> [Poll] {
        defer {
            self = WaitingPolls()
        }
        return polls.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes out the polls that a commit satisfies, oldest first.
    mutating func removeAll(satisfiedBy isSatisfied: (FeedQuery) -> Bool) -> [Poll] {
        let satisfied = polls.filter { isSatisfied($1.query) }.sorted { $0.key < $1.key }
        for (id, _) in satisfied { _ = remove(id) }
        return satisfied.map(\.value)
    }
}
