import Entities

/// A database that replicas send requests to.
///
/// It delays, fails, and is put back to older copies of itself.
struct SimulatedStore {
    enum Request {
        case submit(UInt64, Commit)
        case load(UInt64)
        case head(UInt64)
        case lookUp(UInt64, KeyDigest)

        var isWrite: Bool { if case .submit = self { true } else { false } }
    }

    let id: EntityID
    let isShared: Bool
    let fault: Fault?
    var table = MemoryTable()
    private var copies: [MemoryTable] = []
    /// The copies on which the present state builds, by their places.
    private var line: [Int] = []
    /// The heads that the row had, in the order of time.
    ///
    /// Nil is no row.
    private(set) var heads: [Stamp?] = [nil]
    private(set) var everStored: Set<Stamp> = []
    private(set) var wasPutBack = false
    /// Whether an end reached the store: it may be stored without an answer.
    private(set) var wasEnded = false
    /// Commits that were called unknown, and may be stored late.
    private var late: [Commit] = []
    /// Called with each stored row, and the key of the commit.
    var stored: (StoredEntity, Commit, _ wasPutBack: Bool) -> Void = { _, _, _ in }

    init(id: EntityID, isShared: Bool, fault: Fault?) {
        (self.id, self.isShared, self.fault) = (id, isShared, fault)
    }

    var head: Stamp? { table.head(of: id) }

    mutating func answer(
        _ request: Request, _ kind: EntityKind, _ dice: inout Dice, isCalm: Bool
    ) -> Event {
        switch request {
        case .submit(let number, let commit):
            return .committed(number, submit(commit, &dice, isCalm: isCalm))
        case .load(let number):
            if !isCalm, dice.oneIn(8) { return .loaded(number, .failed) }
            return .loaded(number, ReadResult(table.load(id)).map { EntityState($0, of: kind) })
        case .head(let number):
            if !isCalm, dice.oneIn(30) { return .head(number, .failed) }
            return .head(number, ReadResult(head))
        case .lookUp(let number, let key):
            if !isCalm, dice.oneIn(40) { return .lookedUp(number, .failed) }
            return .lookedUp(number, table.lookUp(key, in: id, at: .zero))
        }
    }

    private mutating func submit(_ commit: Commit, _ dice: inout Dice, isCalm: Bool) -> CommitResult {
        if !isCalm, dice.oneIn(25) { return .refused }
        if !isCalm, dice.oneIn(14) {
            switch dice.roll(3) {
            case 0 where isShared: _ = apply(commit)
            case 1: late.append(commit)
            default: break
            }
            return .unknown
        }
        return apply(commit) ? .stored : .conflict
    }

    private mutating func apply(_ commit: Commit) -> Bool {
        var commit = commit
        if fault == .predecessorFailed, head != commit.base, head != nil {
            commit = Commit(id: commit.id, base: head, state: commit.state, key: commit.key, isEnd: commit.isEnd)
        }
        if fault == .keyApart, commit.key != nil, heads.count % 3 == 0 {
            // The process died between the change and its key.
            commit = Commit(id: commit.id, base: commit.base, state: commit.state)
        }
        guard table.apply(commit, at: .zero) else { return false }
        wasEnded = wasEnded || commit.isEnd
        note()
        if let row = table.load(id) { stored(row, commit, wasPutBack) }
        return true
    }

    private mutating func note() {
        if heads.last != head { heads.append(head) }
        if let head { everStored.insert(head) }
        line.append(copies.count)
        copies.append(table)
    }

    /// A process looks for due effects.
    mutating func takeDue(at now: Duration, _ dice: inout Dice, isCalm: Bool) -> Bool {
        if !isCalm, dice.oneIn(8) { return false }
        return table.takeDue(limit: 1, for: .seconds(30), at: now).ids == [id]
    }

    /// A process has died: some of what it sent still arrives.
    mutating func orphan(_ requests: [Request], _ dice: inout Dice) {
        for request in requests {
            if case .submit(_, let commit) = request, dice.oneIn(2) { _ = apply(commit) }
        }
    }

    /// Creates the row of a session.
    mutating func create(_ initial: InitialParts) {
        _ = apply(Commit(id: id, base: nil, state: .new(initial)))
    }

    /// Stores a commit late, of which nobody knew; in a store for one process only before that starts.
    mutating func storeLate(_ dice: inout Dice, isStart: Bool = false) {
        guard isShared || isStart, !late.isEmpty else { return }
        _ = apply(late.remove(at: dice.roll(late.count)))
    }

    /// Goes back to an older copy, mostly a recent one, without a word.
    ///
    /// While processes run, it goes to a copy on which the present state builds. Back and forth within one request, a look for
    /// a key would see another state than the commit; nobody restores two backups in milliseconds.
    mutating func putBack(_ dice: inout Dice) {
        guard !line.isEmpty, !wasEnded else { return }
        if !isShared { line = Array(copies.indices) }
        line.removeLast(dice.oneIn(3) ? dice.roll(line.count) : min(dice.roll(4), line.count - 1))
        table = copies[line[line.count - 1]]
        wasPutBack = true
        if heads.last != head { heads.append(head) }
    }
}
