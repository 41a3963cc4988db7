import Sessions

/// One replica's way to the store: calls take time, fail, are answered in another order, or never.
// Safe: the simulation has one thread.
final class StoreLink: SessionStore, @unchecked Sendable {
    private struct Pending {
        let commit: Commit
        let incarnation: UInt64
        let done: @Sendable (StoreFailure?) -> Void
    }

    private let world: World
    private unowned let replica: Replica
    private var lines: [SessionID: [Pending]] = [:]
    /// How many calls failed, and how many found another commit, for all that the replica was told.
    private(set) var failures = 0
    private(set) var conflicts = 0
    /// Whether every call fails.
    var isAway = false {
        didSet { if oldValue { backAt = world.now } }
    }
    /// When calls ceased to fail all.
    private var backAt = 0

    init(of replica: Replica) {
        world = replica.world
        self.replica = replica
    }

    var incarnation: UInt64 { world.disk.incarnation }
    let isShared = true

    /// Whether it has been told of what others do for so long, in milliseconds, that only the latest may be on its way.
    func isTold(for time: Int) -> Bool { !isAway && backAt <= world.now - time }

    private var isCut: Bool { !replica.isAlive || world.isOver }

    private func fault() -> StoreFailure? {
        if isAway { return .notSent }
        if world.isHealed { return nil }
        if world.dice.happens(world.plan.notSent) { return .notSent }
        return world.dice.happens(world.plan.unknown) ? .unknown : nil
    }

    private func note(_ failure: StoreFailure?) {
        switch failure {
        case nil: break
        case .conflict, .gone: conflicts += 1
        case .notSent, .unknown, .unreadable: failures += 1
        }
    }

    // MARK: Commits

    func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        guard !isCut else {
            // Nobody hears of it any more; only the end of the world ends the wait.
            world.bury { done(.notSent) }
            return
        }
        lines[commit.id, default: []].append(
            Pending(commit: commit, incarnation: world.disk.incarnation, done: done))
        if lines[commit.id]?.count == 1, world.dice.happens(world.plan.atOnce) { return storeNext(of: commit.id) }
        world.soon(for: replica) { [self] in storeNext(of: commit.id) }
    }

    private func storeNext(of id: SessionID) {
        guard lines[id]?.isEmpty == false, let next = lines[id]?.removeFirst() else { return }
        let result = store(next)
        let isAtOnce = world.dice.happens(world.plan.atOnce)
        if isAtOnce { return tell(next, result) }
        world.soon(for: replica) { [self] in tell(next, result) }
    }

    private func tell(_ pending: Pending, _ result: StoreFailure?) {
        note(result)
        if result == .gone, let session = world.disk[pending.commit.id] { replica.absences[session.place] = world.now }
        pending.done(result)
    }

    private func store(_ next: Pending) -> StoreFailure? {
        var fault = fault()
        // What was under way to a store that was put back is not stored in what it is now.
        if next.incarnation != world.disk.incarnation { fault = .notSent }
        let isStored = fault == nil || fault == .unknown && world.dice.happens(500)
        let result = isStored ? world.disk.store(next.commit, by: replica) : nil
        if fault != nil, isStored, result == nil { world.disk[next.commit.id]?.head?.isUnknown = true }
        world.log("\(replica.name) store \(world.describe(next.commit)): \(world.describe(fault ?? result))")
        return fault ?? result
    }

    /// The process is gone: some of what was on its way may have got there.
    func cut() {
        for session in world.disk.sessions {
            for pending in lines[session.id] ?? [] {
                guard !isAway, pending.incarnation == world.disk.incarnation, world.dice.happens(600) else { break }
                let result = world.disk.store(pending.commit, by: replica)
                world.log(
                    "\(replica.name) store after death \(world.describe(pending.commit)): \(world.describe(result))")
            }
        }
        for pending in lines.values.joined() { world.bury { pending.done(.notSent) } }
        lines = [:]
    }

    func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        isCut ? StoreHandle {} : world.leases.ask(id, by: replica, isHeld)
    }

    func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? {
        isCut ? nil : world.hints.watch(id, by: replica, moved)
    }

    // MARK: The rest

    /// Does something at some moment between the call and its answer.
    private func call<Result>(_ name: String, _ act: () -> Result) async throws(StoreFailure) -> Result {
        await world.pause(for: replica)
        let fault = fault()
        var result: Result?
        if !isCut, fault == nil || fault == .unknown && world.dice.happens(500) { result = act() }
        await world.pause(for: replica)
        guard !isCut else { throw .notSent }
        guard fault == nil, let result else {
            note(fault)
            world.log("\(replica.name) store \(name): \(world.describe(fault))")
            throw fault ?? .notSent
        }
        return result
    }

    func load(_ id: SessionID) async throws(StoreFailure) -> SessionRecord? {
        let found = try await call("load") { world.disk.standing(id).map { ($0, world.disk[id]?.end) } }
        world.log(
            "\(replica.name) store load: \(found.map { "\(world.disk[id]?.name ?? "") #\($0.0.record.head.version.number)" } ?? "nothing")"
        )
        guard let found else { return nil }
        var record = found.0.record
        record.end = found.1
        // Of what was read: by now it may have ended.
        for outcome in found.0.outcomes.values where outcome.end > world.timeOfDay {
            record.keys += 1
            record.keyBytes += outcome.body.count
        }
        return record
    }

    func outcome(of key: KeyDigest, in id: SessionID) async throws(StoreFailure) -> RememberedOutcome? {
        let outcome = try await call("look-up") { world.disk[id]?.head?.outcomes[key] }
        world.log(
            "\(replica.name) store look-up of \(world.name(of: key)): \(outcome.map { "\($0.status)" } ?? "nothing")")
        return outcome.flatMap { $0.end > world.timeOfDay ? $0 : nil }
    }

    func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> Int {
        // What has ended is found by nobody.
        try await call("deleteEndedOutcomes") { 0 }
    }

    func delete(_ id: SessionID, at version: CommitVersion) async throws(StoreFailure) {
        let failure = try await call("delete") { world.disk.delete(id, at: version) }
        note(failure)
        if let failure { throw failure }
    }

    func touch(_ ends: [SessionID: TimeOfDay]) async throws(StoreFailure) {
        try await call("touch") { world.disk.touch(ends) }
    }

    func deleteEnded(by now: TimeOfDay, limit: Int) async throws(StoreFailure) -> [SessionID] {
        try await call("deleteEnded") { world.disk.deleteEnded(by: now, limit: limit) }
    }

    func sessions(after place: Int64, limit: Int) async throws(StoreFailure) -> [SessionSummary] {
        // Nobody lists them here.
        try await call("sessions") { [] }
    }

    func count() async throws(StoreFailure) -> Int { try await call("count") { world.disk.count } }

    func isReady() async -> Bool { !isAway }

    func close() async {}
}
