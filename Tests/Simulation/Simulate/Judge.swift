import Sessions
import ViewModels

/// Who knows what the store held, and holds every answer to it.
// Safe: the simulation has one thread.
final class Judge: @unchecked Sendable {
    let world: World
    private(set) var open: [Op] = []
    private(set) var failure: String?
    private var nextOp = 0
    /// How often each action did something outside.
    var effects: [Int: Int] = [:]
    /// What the actions of each name came to.
    var fates: [Int: Fate] = [:]
    /// Of all replicas, the latest commit of each session that an answer has shown.
    var floors: [Int: Int] = [:]

    /// What is known of an action of one name, however often it was asked for.
    struct Fate {
        /// How many were asked for, and how many of them were told that nothing was done.
        var asked = 0
        var undone = 0
        /// What may have made it run again: failures, conflicts and deaths.
        var excuses = 0
        var isKeyed = false
    }

    init(of world: World) { self.world = world }

    var hasFailed: Bool { failure != nil }

    func fail(_ law: String, _ what: @autoclosure () -> String) {
        if failure == nil, !world.isOver { failure = "\(law): \(what())" }
    }

    // MARK: Asked

    func begin(_ ask: Ask, in session: StoredSession?, by client: Client?, at replica: Replica) -> Op {
        nextOp += 1
        var ask = ask
        let count = BuildFacts.all[replica.build].viewModels.count
        // What another build hosts this one does not.
        if case .view(let place) = ask, place >= count { ask = .view(0) }
        if case .act(let act) = ask, act.viewModel >= count { ask = .views }
        let op = Op(ask, number: nextOp, client: client, replica: replica, session: session)
        if let session {
            op.floor = floor(of: session, for: op)
            // Those that are asked later may come first.
            let beside = open.filter { $0.session === session && !$0.isWait }
            for op in beside + [op] { op.ahead = max(op.ahead, beside.count) }
            if case .act(let act) = ask { note(act, of: op, in: session) }
        }
        open.append(op)
        world.log("\(replica.name) \(client?.name ?? "--") \(session?.name ?? "--") asks \(op.number): \(describe(op))")
        op.begin()
        return op
    }

    private func note(_ act: ActionAsk, of op: Op, in session: StoredSession) {
        guard let order = act.order else { return }
        fates[order.id, default: Fate()].asked += 1
        if act.key != nil { fates[order.id]?.isKeyed = true }
        if op.isSlow { world.noteSlow(order.milliseconds, in: session) }
    }

    private func floor(of session: StoredSession, for op: Op) -> Int {
        var floor = op.replica.floor(of: session)
        floor = max(floor, floors[session.place] ?? 0)
        guard op.replica.startedAt >= world.lastRewind else { return floor }
        // A cursor of what another replica has shown: who knows it not yet is to look.
        switch op.ask {
        case .poll(let mirror, _), .listen(let mirror, _):
            if let cursor = mirror.cursor, let node = session.nodes.first(where: { !$0.isLost && $0.cursor == cursor })
            {
                floor = max(floor, node.number)
            }
        default: break
        }
        return floor
    }

    // MARK: Answered

    /// The client will never hear of it: the replica is gone.
    func lose(_ op: Op) {
        guard !op.isOver else { return }
        op.isOver = true
        open.removeAll { $0 === op }
        if let session = op.session { op.client?.waits.remove(session.place) }
        if case .act(let act) = op.ask, let order = act.order {
            noteExcuses(op, act)
            fates[order.id]?.excuses += 1
        }
    }

    func loseAll(of replica: Replica) {
        for op in open where op.replica === replica { lose(op) }
    }

    func bury() { open = [] }

    func close(_ op: Op, _ result: Result<Answer, any Error>) {
        guard !world.isOver, !hasFailed, !op.isOver else { return }
        guard op.replica.isAlive else { return lose(op) }
        op.isOver = true
        open.removeAll { $0 === op }
        if let session = op.session { op.client?.waits.remove(session.place) }
        world.log(
            "\(op.replica.name) \(op.client?.name ?? "--") \(op.session?.name ?? "--") told \(op.number): \(describe(result))"
        )
        if op.session == nil, case .views = op.ask {
            op.session = world.disk[.public]
        }
        lookAtTime(of: op)
        if op.isSlow, let session = op.session { session.slowUntil = max(session.slowUntil, world.now) }
        if op.isSlow || op.isLate, let session = op.session {
            op.replica.holds[session.place] = max(op.replica.holds[session.place] ?? 0, world.now)
        }
        switch result {
        case .success(let answer): look(at: answer, to: op)
        case .failure(let error): look(at: error, to: op)
        }
    }

    private func look(at answer: Answer, to op: Op) {
        if case .began(let token) = answer { return lookAtBeginning(token, op) }
        guard let session = op.session else { return noteTouches(of: op) }
        op.replica.uses[session.place] = op.askedAt
        if case .end = op.ask {
            // It is not in memory there any more: where the store is put back, that replica knows of no use of it.
            op.replica.uses[session.place] = nil
            // One whose time is over is there for nobody, though it is still stored.
            let isOver = session.end.map { $0 <= world.timeOfDay } ?? false
            if session.head != nil, !isOver, session.lastAbsence < op.after {
                return fail(
                    "law 8", "\(op.number) is told that \(session.name) has ended, and the store has it")
            }
            // Put back, or begun anew, since it ended.
            guard session.head == nil else { return }
            session.endedAt = world.nextNumber()
            op.replica.raiseFloor(of: session, to: session.endedAt)
            return
        }
        if session.endedAt > 0, op.after > session.endedAt {
            fail("law 1", "\(session.name) had ended, and is shown")
        }
        if let gone = op.replica.absences[session.place], op.askedAt > gone + 500, session.head == nil {
            fail("law 1", "\(op.replica.name) was told at \(gone) ms that \(session.name) is gone, and shows it")
        }
        switch answer {
        case .view(let view): if case .view(let place) = op.ask { look(at: view, of: place, to: op, in: session) }
        case .views(let cursor, let language, let views): look(at: views, at: cursor, in: language, to: op, of: session)
        case .feed(let answer): look(at: answer, to: op, in: session)
        case .performed(let performed): look(at: performed, to: op, in: session)
        case .done: if case .language(let language) = op.ask { look(at: language, to: op, in: session) }
        case .began: break
        }
    }

    private func lookAtBeginning(_ token: SessionToken, _ op: Op) {
        guard let session = world.disk[token.sessionID] else {
            return fail("law 1", "a session was begun that is not stored")
        }
        session.token = token
        op.replica.uses[session.place] = op.askedAt
    }

    /// Notes that a session's state at a commit was shown.
    func note(_ node: Node, shownTo op: Op, of session: StoredSession, isToldToThoseWhoWait: Bool = true) {
        // What was decided before a rewind says nothing of what is to be shown after it.
        guard op.after >= world.lastRewind else { return }
        if isToldToThoseWhoWait { op.replica.raiseFloor(of: session, to: node.number) }
        floors[session.place] = max(floors[session.place] ?? 0, node.number)
    }

    /// What was done may be lost, and done again.
    func excuseAll() {
        for id in fates.keys { fates[id]?.excuses += 1 }
    }

    // MARK: Time

    /// Nobody waits for a stranger: whose session has nothing slow in it, and who keeps house, waits for the store alone.
    private func lookAtTime(of op: Op) {
        guard !op.isWait, world.now - op.askedAt > 25_000 else { return }
        if let session = op.session {
            let others = open.count { $0.session === session && !$0.isWait }
            let isSlow = open.contains { $0.session === session && $0.isSlow }
            if isSlow || session.slowUntil >= op.askedAt || max(others, op.ahead) > 10 { return }
        }
        let what = "\(op.number) took \(world.now - op.askedAt) ms, and nothing slow was in its way but others' actions"
        if case .tidy = op.ask { return fail("law 5", what) }
        fail("law 5", what)
    }

    /// Whether a slow action holds a session at a replica, or did a moment ago.
    ///
    /// Until it is over nobody there can look at the store, and after a failure only a look tells what is stored.
    func isHeld(_ session: StoredSession, at replica: Replica) -> Bool {
        if let time = replica.holds[session.place], time >= world.now - 1000 { return true }
        return open.contains { $0.session === session && $0.replica === replica && ($0.isSlow || $0.isLate) }
    }

    /// How many slow actions wait or run.
    var slowCount: Int { open.count { $0.isSlow } }

    /// Everything has been answered that was asked, when nothing fails any more.
    func lookForThoseLeftWaiting() {
        guard let op = open.first, !hasFailed else { return hasFailed ? () : lookAtUndone() }
        if let slow = open.first(where: { $0.isSlow }) {
            return fail("law 5", "\(slow.number) runs again and again")
        }
        fail("law 8", "\(op.number) is never answered (asked at \(op.askedAt) ms: \(describe(op)))")
    }

    // MARK: Ends

    private func noteTouches(of op: Op) {
        switch op.ask {
        case .tidy, .endExpired, .touch: break
        default: return
        }
        // What the store was told before it was put back it may know no more.
        guard op.replica.link.failures == op.failures, op.after >= world.lastRewind else { return }
        let timeInMemory = Int(world.plan.limits.timeInMemory.components.seconds) * 1000
        for session in world.disk.sessions {
            guard let use = op.uses[session.place], use < op.askedAt else { continue }
            // Told before, and forgotten here, as it left memory; what the store was put back to does not know of it.
            if use <= world.rewoundAt, op.askedAt - use >= timeInMemory { continue }
            // What was over already is nobody's to put off.
            if session.lastAbsence >= op.after || session.end.map({ $0 <= world.timeOfDay }) ?? true { continue }
            session.lastToldUse = max(session.lastToldUse, use)
        }
    }

    /// No later word of its end takes back what was said before.
    func lookAtPromise(of session: StoredSession, before: TimeOfDay) {
        if let end = session.end, end < before { fail("law 8", "a touch brings the end of \(session.name) forward") }
        let life = Int(world.plan.limits.timeToLive.components.seconds) * 950 - 3000
        guard let end = session.end, session.lastToldUse > 0 else { return }
        let time = Int(end.secondsSince1970 - World.firstSecond) * 1000
        guard time < session.lastToldUse + life else { return }
        fail("law 8", "\(session.name) is to end \(time - session.lastToldUse) ms after it was used")
    }

    /// A session ends by itself when nobody has used it for its time to live, less a twentieth.
    func lookAtEnd(of session: StoredSession) {
        let life = Int(world.plan.limits.timeToLive.components.seconds) * 950 - 3000
        guard session.lastToldUse > 0, world.now < session.lastToldUse + life else { return }
        fail("law 8", "\(session.name) ends \(world.now - session.lastToldUse) ms after it was used")
    }
}
