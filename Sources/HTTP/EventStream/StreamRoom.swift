/// The writers that wait for a full stream: a state machine that says whom to resume, and resumes nobody.
struct StreamRoom {
    typealias Writer = CheckedContinuation<Void, any Error>

    /// What becomes of a writer that asks to wait.
    enum Admission: Equatable {
        case waits
        case goesOn
        case fails
        case isCancelled
    }

    private var writers: [Int: Writer] = [:]
    private var cancelled: Set<Int> = []
    private var nextTicket = 0
    private var isClosed: Bool

    init(isClosed: Bool = false) { self.isClosed = isClosed }

    /// How often there was room again.
    ///
    /// Read before a write: one that changed since means there may be room by now.
    private(set) var drains = 0

    /// A name for one wait.
    mutating func takeTicket() -> Int {
        nextTicket += 1
        return nextTicket
    }

    mutating func wait(_ writer: Writer, ticket: Int, since seen: Int) -> Admission {
        if isClosed { return .fails }
        if cancelled.remove(ticket) != nil { return .isCancelled }
        if drains != seen { return .goesOn }
        writers[ticket] = writer
        return .waits
    }

    mutating func drain() -> [Writer] {
        drains += 1
        return takeWriters()
    }

    mutating func close() -> [Writer] {
        isClosed = true
        return takeWriters()
    }

    /// Nil where it does not wait, or not yet: then it will not.
    mutating func cancel(_ ticket: Int) -> Writer? {
        if let writer = writers.removeValue(forKey: ticket) { return writer }
        cancelled.insert(ticket)
        return nil
    }

    /// After a wait is over, however it ended.
    mutating func forget(_ ticket: Int) {
        cancelled.remove(ticket)
    }

    private mutating func takeWriters() -> [Writer] {
        let waiting = writers.sorted { $0.key < $1.key }.map(\.value)
        writers = [:]
        return waiting
    }
}
