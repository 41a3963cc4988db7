import Sessions
import ViewModels

/// What happens in one world, from its beginning to its end.
final class Story {
    private let world: World
    private let clients: [Client]
    /// Actions with a key, to be asked again.
    private var keyed: [(session: StoredSession, act: ActionAsk)] = []
    private var nextID = 0
    private var nextReplica = 0
    private var build = 0
    private var plan: Plan { world.plan }
    private var judge: Judge { world.judge }

    init(seed: UInt64, options: Options) {
        world = World(seed: seed, options: options)
        var dice = world.dice
        clients = (0..<world.plan.clients).map { Client("c\($0 + 1)", hearsLedgerAlone: dice.happens(200)) }
        world.dice = dice
    }

    /// - Returns: what the judge found; nil where all is sound.
    func run() -> String? {
        for _ in 0..<plan.replicas { start() }
        for _ in 0..<plan.steps where !judge.hasFailed {
            step(Happening.allCases[world.dice.weighted(plan.weights)])
            if world.dice.happens(plan.eager) { world.settle() } else { world.run(atMost: world.dice.below(12)) }
        }
        if !judge.hasFailed { finish() }
        let failure = judge.failure
        if let failure { world.log("FAILED \(failure)") }
        world.end()
        return failure
    }

    // MARK: What happens

    private func step(_ happening: Happening) {
        switch happening {
        case .begin:
            if world.disk.sessions.count(where: { $0.token != nil && $0.head != nil }) < plan.sessions {
                ask(.begin, in: nil)
            }
        case .act: if let session = someSession() { ask(.act(someAction(in: session)), in: session) }
        case .retry:
            if !keyed.isEmpty {
                let (session, act) = world.dice.pick(keyed)
                ask(.act(act), in: session)
            }
        case .view: if let session = someSession() { ask(.view(world.dice.below(4)), in: session) }
        case .views: if let session = someSession() { ask(.views, in: session) }
        case .poll, .listen: if let session = someSession() { follow(session, as: happening) }
        case .hangUp:
            let open = judge.open.filter { $0.client != nil && !$0.isHungUp }
            if !open.isEmpty {
                let op = world.dice.pick(open)
                world.log("\(op.client?.name ?? "") hangs up on \(op.number)")
                op.hangUp()
            }
        case .language:
            let language = world.dice.pick(Languages.simulated.all)
            if let session = someSession(), session.token != nil { ask(.language(language), in: session) }
        case .end: if let session = someSession(), session.token != nil { ask(.end, in: session) }
        case .tidy: keepHouse(.tidy)
        case .endExpired: keepHouse(.endExpired)
        case .touch: keepHouse(.touch)
        case .kill: stop(gently: false)
        case .stop: stop(gently: true)
        case .start: if world.replicas.count < plan.replicas { start() }
        case .outage: outage()
        case .rewind: rewind()
        case .pass: pass()
        }
    }

    private func pass() {
        let time = world.dice.pick([1, 5, 20, 20, 100, 100, 500, 500, 2000, 2000, 5000, 12_000, 35_000])
        if time < 20 { world.now += time } else { world.pass(to: world.now + time) }
    }

    private func start() {
        nextReplica += 1
        // Where builds do not roll, a new one comes when all of the old one are gone.
        if world.isRolling || world.replicas.isEmpty, nextReplica > plan.replicas, build < 2, world.dice.happens(500) {
            build += 1
        }
        let replica = Replica("R\(nextReplica)", build: build, in: world)
        world.replicas.append(replica)
        world.log("\(replica.name) starts, build \(build)")
    }

    private func stop(gently: Bool) {
        guard let replica = someReplica() else { return }
        if gently {
            world.log("\(replica.name) drains")
            replica.isDraining = true
            replica.registry?.drain()
            world.settle()
        }
        // All at once, as when a machine is lost, or for another build.
        let isAll = world.dice.happens(400)
        for replica in isAll ? world.replicas : [replica] { kill(replica) }
        if world.replicas.isEmpty, world.dice.happens(500) { world.disk.reopen() }
    }

    private func kill(_ replica: Replica) {
        world.log("\(replica.name) dies")
        replica.die()
        judge.loseAll(of: replica)
        world.replicas.removeAll { $0 === replica }
    }

    private func outage() {
        guard let replica = someReplica() else { return }
        replica.link.isAway.toggle()
        if replica.link.isAway { world.leases.noteOutage(of: replica) } else { world.leases.giveAll() }
        world.log("\(replica.name) \(replica.link.isAway ? "has lost" : "has") its store")
    }

    private func rewind() {
        let number = max(0, world.number - 1 - world.dice.below(world.dice.pick([3, 20, 200])))
        // A volume is put back while nobody is there; a server that takes over may be behind the one before.
        // Under those who look on only once: what was lost does not come back.
        let isLive = world.dice.happens(500) && !world.hasLookedOn
        world.hasLookedOn = world.hasLookedOn || isLive
        if world.options.storeFault != .quietRewind, !isLive {
            for replica in world.replicas { kill(replica) }
        }
        world.log("the store is put back by \(world.number - number), \(world.replicas.count) replicas look on")
        world.disk.rewind(to: number)
        // What was gone may be there again, and go once more.
        for replica in world.replicas { replica.absences = [:] }
        world.lastRewind = world.nextNumber()
        world.rewoundAt = world.now
        judge.excuseAll()
        for session in world.disk.sessions {
            world.log("    \(session.name) at \(session.head.map { world.describe($0.cursor) } ?? "nothing")")
        }
    }

    // MARK: What is asked

    private func someReplica() -> Replica? { world.replicas.isEmpty ? nil : world.dice.pick(world.replicas) }

    private func someSession() -> StoredSession? {
        let known = world.disk.sessions.filter { $0.token != nil || $0.id == .public }
        if known.isEmpty || world.dice.happens(20) {
            if !known.contains(where: { $0.id == .public }) { ask(.views, in: nil) }
        }
        return known.isEmpty ? nil : world.dice.pick(known)
    }

    @discardableResult
    private func ask(_ ask: Ask, in session: StoredSession?) -> Op? {
        guard let replica = someReplica() else { return nil }
        return judge.begin(ask, in: session, by: world.dice.pick(clients), at: replica)
    }

    private func keepHouse(_ ask: Ask) {
        guard let replica = someReplica() else { return }
        _ = judge.begin(ask, in: nil, by: nil, at: replica)
    }

    private func someAction(in session: StoredSession) -> ActionAsk {
        let client = world.dice.pick(clients)
        let roll = world.dice.below(100)
        if roll < 8 { return ActionAsk(viewModel: 1, action: 0, order: nil, key: nil, condition: nil) }
        if roll < 12, build > 0 { return ActionAsk(viewModel: 3, action: 0, order: nil, key: nil, condition: nil) }
        nextID += 1
        let kind = ActionKind.allCases[world.dice.weighted(plan.actions)]
        let milliseconds: Int =
            switch kind {
            case .wait: world.dice.pick([1, 50, 800, 5000])
            case .hang: world.dice.pick([0, world.pickSlowTime()])
            case .refuse, .fail: world.dice.below(2)
            default: 0
            }
        var key: String?
        if world.dice.happens(450), keyed.count(where: { $0.session === session }) < 50 { key = "k\(nextID)" }
        // Now and then a key that is another request's.
        if key != nil, world.dice.happens(30), let other = keyed.last(where: { $0.session === session }) {
            key = other.act.key
        }
        let condition = world.dice.happens(200) ? client.seen[session.place * 8] : nil
        let act = ActionAsk(
            viewModel: 0, action: kind.rawValue, order: Order(id: nextID, milliseconds: milliseconds), key: key,
            condition: condition)
        if key != nil { keyed.append((session, act)) }
        return act
    }

    private func follow(_ session: StoredSession, as happening: Happening) {
        let client = world.dice.pick(clients)
        guard let replica = someReplica(), !client.waits.contains(session.place) else { return }
        let known = client.mirrors[session.place] ?? []
        let roll = world.dice.below(10)
        let mirror = roll == 0 ? Mirror() : roll < 4 ? known.randomElement(&world.dice) : known.last
        let wait = world.dice.pick([0, 0, 300, 5000, 25_000, 55_000])
        let ask: Ask =
            happening == .poll ? .poll(mirror ?? Mirror(), wait: wait) : .listen(mirror ?? Mirror(), wait: wait)
        client.waits.insert(session.place)
        _ = judge.begin(ask, in: session, by: client, at: replica)
    }

    // MARK: The end of the story

    private func finish() {
        world.heal()
        if world.replicas.isEmpty { start() }
        // One slow action after the other, and each perhaps twice.
        wait(atMost: 400_000 + 70_000 * judge.slowCount)
        judge.lookForThoseLeftWaiting()
        // What another replica changes is no concern of this one; and nothing is alive in it yet.
        if world.dice.happens(500) { while let replica = world.replicas.first { kill(replica) } }
        while let replica = world.replicas.first, world.replicas.count > 1 { kill(replica) }
        if world.replicas.isEmpty { start() }
        if !judge.hasFailed { lookForFrozenDisplays() }
        if !judge.hasFailed { lookAtWhatIsLeft() }
    }

    private func wait(atMost time: Int) {
        let end = world.now + time
        world.settle()
        while !judge.open.isEmpty, world.now < end, !judge.hasFailed { world.pass(to: world.now + 1000) }
    }

    private var living: [StoredSession] {
        world.disk.sessions.filter { world.disk.standing($0.id) != nil && $0.isKnown }
    }

    /// Whoever waits sees what changes by itself.
    private func lookForFrozenDisplays() {
        guard let replica = world.replicas.last, let client = clients.first(where: { !$0.hearsLedgerAlone }) else {
            return
        }
        world.log("whoever waits is to see the ticker tick")
        for session in living where session.lastKnown(to: client) != nil {
            let mirror = session.lastKnown(to: client) ?? Mirror()
            // The first brings it up to date. A tick may meet what another replica stored, and be lost; and the lease may be a
            // dead one's yet.
            for wait in [0, 2 * plan.tick + 10_000] {
                let mirror = client.mirrors[session.place]?.last ?? mirror
                let op = judge.begin(.poll(mirror, wait: wait), in: session, by: client, at: replica)
                // What is refused meanwhile disturbs nobody.
                while wait > 0, !op.isOver, !judge.hasFailed {
                    world.pass(to: world.now + plan.tick / 3)
                    nextID += 1
                    let refused = ActionAsk(
                        viewModel: 0, action: ActionKind.refuse.rawValue, order: Order(id: nextID, milliseconds: 0),
                        key: nil, condition: nil)
                    _ = judge.begin(.act(refused), in: session, by: client, at: replica)
                }
                self.wait(atMost: 100_000)
                if judge.hasFailed { return }
                if wait > 0, op.wasIdle, !session.isSlow(at: world.now) {
                    return judge.fail(
                        "law 5",
                        "\(session.name) has a ticker, and who waits \(wait) ms at \(replica.name) sees no tick")
                }
            }
        }
    }

    /// A replica that knows nothing shows what the store holds.
    private func lookAtWhatIsLeft() {
        for replica in world.replicas { kill(replica) }
        start()
        for session in living {
            ask(.views, in: session)
            wait(atMost: 100_000)
            for client in clients {
                guard let replica = world.replicas.last else { return }
                let mirror = client.mirrors[session.place]?.last ?? Mirror()
                _ = judge.begin(.poll(mirror, wait: 0), in: session, by: client, at: replica)
                // One at a time: where several ask, each sees what the others made of it.
                wait(atMost: 100_000)
            }
        }
        wait(atMost: 100_000)
        judge.lookForThoseLeftWaiting()
    }
}

extension Array {
    fileprivate func randomElement(_ dice: inout Dice) -> Element? { isEmpty ? nil : dice.pick(self) }
}

extension StoredSession {
    fileprivate var isKnown: Bool { token != nil || id == .public }

    fileprivate func lastKnown(to client: Client) -> Mirror? { client.mirrors[place]?.last }

    fileprivate func isSlow(at time: Int) -> Bool { slowUntil >= time }
}
