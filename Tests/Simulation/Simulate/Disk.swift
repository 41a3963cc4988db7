import Sessions

/// What the store holds, and held: every commit of every session, as the tree that rewinding makes of them.
// Safe: the simulation has one thread.
final class Disk: @unchecked Sendable {
    private let world: World
    private(set) var incarnation: UInt64 = 1
    /// In the order in which they were created.
    private(set) var sessions: [StoredSession] = []
    private var sessionOfID: [SessionID: StoredSession] = [:]

    init(of world: World) { self.world = world }

    subscript(_ id: SessionID) -> StoredSession? { sessionOfID[id] }

    /// Where a session stands, as whoever loads it is told.
    func standing(_ id: SessionID) -> Node? {
        guard let session = sessionOfID[id], let head = session.head else { return nil }
        return session.end.map { $0 <= world.timeOfDay } ?? false ? nil : head
    }

    var count: Int { sessions.count { $0.head != nil } }

    /// Compares and sets.
    ///
    /// - Returns: why it did not.
    func store(_ commit: Commit, by replica: Replica) -> StoreFailure? {
        let session = sessionOfID[commit.id] ?? begin(commit.id)
        if commit.base == nil, let end = session.end, end <= world.timeOfDay { session.head = nil }
        let current = session.head?.record.head.version
        guard isMatch(commit, session.head) else { return current.map { .conflict($0) } ?? .gone }
        var record: SessionRecord
        if let head = session.head {
            record = head.record
            record.apply(commit)
        } else {
            record = SessionRecord(creating: commit)
        }
        let node = Node(
            number: world.nextNumber(), parent: session.head, record: record, commit: commit, build: replica.build,
            storedAt: world.now)
        world.judge.look(at: node, of: session, by: replica)
        let isOver = session.end.map { $0 <= world.timeOfDay } ?? false
        if session.head == nil || isOver { session.lastAbsence = world.nextNumber() }
        session.put(node, endingAt: commit.end)
        world.hints.send(of: session)
        return nil
    }

    private func isMatch(_ commit: Commit, _ head: Node?) -> Bool {
        if world.options.storeFault == .position, let base = commit.base, let head {
            return head.record.head.version.number == base.number
        }
        return commit.base == head?.record.head.version
    }

    private func begin(_ id: SessionID) -> StoredSession {
        let session = StoredSession(
            id: id, place: sessions.count, name: id == .public ? "s0" : "s\(sessions.count { $0.id != .public } + 1)")
        sessions.append(session)
        sessionOfID[id] = session
        return session
    }

    func delete(_ id: SessionID, at version: CommitVersion) -> StoreFailure? {
        guard let session = sessionOfID[id], let head = session.head else { return nil }
        guard head.record.head.version == version else {
            return .conflict(head.record.head.version)
        }
        session.remove(at: world.nextNumber())
        world.hints.send(of: session)
        return nil
    }

    func touch(_ ends: [SessionID: TimeOfDay]) {
        for session in sessions {
            guard session.head != nil, let end = ends[session.id], let known = session.end else { continue }
            if known <= world.timeOfDay { session.lastAbsence = world.nextNumber() }
            session.setEnd(world.options.storeFault == .touch ? end : max(known, end))
            world.judge.lookAtPromise(of: session, before: known)
        }
    }

    func deleteEnded(by now: TimeOfDay, limit: Int) -> [SessionID] {
        let ended = sessions.filter { session in session.head != nil && session.end.map { $0 <= now } ?? false }
            .prefix(limit)
        for session in ended {
            world.judge.lookAtEnd(of: session)
            session.remove(at: world.nextNumber())
        }
        return ended.map(\.id)
    }

    /// Puts everything back to how it was, as when a volume is put back to a snapshot of it.
    ///
    /// - Parameter number: what was stored later is lost.
    func rewind(to number: Int) {
        if world.options.storeFault != .quietRewind { incarnation += 1 }
        for session in sessions {
            session.rewind(to: number, at: world.timeOfDay) { world.nextNumber() }
            world.hints.send(of: session)
        }
    }

    func reopen() { incarnation += 1 }
}

/// One session as the store has it, and all that it ever stood at.
final class StoredSession {
    let id: SessionID
    let place: Int
    let name: String
    private(set) var nodes: [Node] = []
    var head: Node?
    /// Whether and when it stood where, oldest first, to be rewound; nil for gone.
    private var standings: [(number: Int, head: Node?)] = []
    private(set) var end: TimeOfDay?
    /// The number of the latest answer by which its end was acknowledged; 0 for none, or where a rewind undid it.
    var endedAt = 0
    var token: SessionToken?
    /// Until when a slow action may hold it.
    var slowUntil = 0
    /// The latest use that the store was told of, or should have been; in milliseconds.
    var lastToldUse = 0
    /// The number of the latest moment at which it was not there.
    var lastAbsence = 0

    init(id: SessionID, place: Int, name: String) {
        self.id = id
        self.place = place
        self.name = name
    }

    func put(_ node: Node, endingAt end: TimeOfDay?) {
        nodes.append(node)
        head = node
        self.end = end
        standings.append((node.number, node))
    }

    func setEnd(_ end: TimeOfDay) { self.end = end }

    func remove(at number: Int) {
        head = nil
        standings.append((number, nil))
    }

    func rewind(to number: Int, at now: TimeOfDay, _ next: () -> Int) {
        let old = standings.last { $0.number <= number }
        let isOver = end.map { $0 <= now } ?? false
        if head == nil || isOver { lastAbsence = next() }
        var kept: Set<ObjectIdentifier> = []
        var node = old?.head
        while let known = node {
            kept.insert(ObjectIdentifier(known))
            node = known.parent
        }
        for node in nodes where !kept.contains(ObjectIdentifier(node)) { node.isLost = true }
        head = old?.head
        endedAt = 0
        lastToldUse = 0
        if let head {
            // Whoever reads from now on may be shown it again.
            head.number = next()
            end = head.record.end
            standings.append((head.number, head))
        } else {
            standings.append((next(), nil))
        }
    }
}

/// A commit that was stored.
final class Node {
    /// The order in which it came to be where the session stands.
    var number: Int
    let parent: Node?
    let record: SessionRecord
    let outcome: RememberedOutcome?
    /// What is remembered here under each key.
    let outcomes: [KeyDigest: RememberedOutcome]
    /// The name of the action that it is of, where it left one.
    var newID: Int?
    /// The ledger's names, in their order.
    var ids: [Int] = []
    /// The build that made it.
    let build: Int
    /// When it was stored, in milliseconds.
    let storedAt: Int
    /// Whether its writer was not told that it is stored.
    var isUnknown = false
    /// Whether a rewind lost it.
    var isLost = false
    private var shownBy: [Int: Shown] = [:]

    init(number: Int, parent: Node?, record: SessionRecord, commit: Commit, build: Int, storedAt: Int) {
        self.build = build
        self.storedAt = storedAt
        self.number = number
        self.parent = parent
        self.record = record
        outcome = commit.outcome
        var outcomes = parent?.outcomes ?? [:]
        if let outcome { outcomes[outcome.key] = outcome }
        self.outcomes = outcomes
    }

    var cursor: Cursor { record.head.history.place(of: record.head.seq) }

    /// Whether the ledger's `balk` fails here.
    var isBalkedAt: Bool { ids.count % 2 == 1 }

    /// What a build shows of a view model here.
    func shown(_ viewModel: Int, by build: Int) -> Shown {
        let key = build * 8 + viewModel
        if let known = shownBy[key] { return known }
        let made = Shown(viewModel, by: build, in: record)
        shownBy[key] = made
        return made
    }
}

/// What is to be shown of a view model.
struct Shown {
    var values: [[UInt8]] = []
    var lastChange: UInt64 = 0
    var json: [UInt8] = []

    init(_ viewModel: Int, by build: Int, in record: SessionRecord) {
        let facts = BuildFacts.all[build]
        let known = facts.viewModels[viewModel]
        let stored = record.viewModels[known.name]
        json = [UInt8(ascii: "{")]
        for (place, name) in known.outputs.enumerated() {
            let output = stored?.outputs.first { $0.name == name }
            let value =
                output?.value ?? stored.map { facts.derived(viewModel, place, from: $0, in: record.language) }
                ?? known.initial[record.language]?[place] ?? []
            lastChange = max(lastChange, output?.seq ?? (stored == nil ? 0 : record.head.seq))
            values.append(value)
            json.append(contentsOf: "\(place == 0 ? "" : ",")\"\(name)\":".utf8)
            json.append(contentsOf: value)
        }
        json.append(UInt8(ascii: "}"))
    }
}

extension SessionHistory {
    /// The cursor of a commit, by the rule of the contract: its number, and the epoch that it was made in.
    func place(of seq: UInt64) -> Cursor {
        Cursor(epoch: (chapters.last { $0.first <= seq } ?? chapters[0]).epoch, seq: seq)
    }
}
