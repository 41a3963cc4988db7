import Sessions

/// Who asks for the leases of sessions, and who holds them: given and taken late, and now and then taken from who lives.
// Safe: the simulation has one thread.
final class Leases: @unchecked Sendable {
    // Safe: as above.
    private final class Asked: @unchecked Sendable {
        let id: SessionID
        let replica: Replica
        let isHeld: @Sendable (Bool) -> Void

        init(_ id: SessionID, _ replica: Replica, _ isHeld: @escaping @Sendable (Bool) -> Void) {
            (self.id, self.replica, self.isHeld) = (id, replica, isHeld)
        }
    }

    private let world: World
    private var asked: [SessionID: [Asked]] = [:]
    private var holders: [SessionID: Asked] = [:]
    /// By the names of replicas: until when each may change a session by itself; `Int.max` while it is told that it may.
    private var allowed: [SessionID: [String: Int]] = [:]

    init(of world: World) { self.world = world }

    func ask(
        _ id: SessionID, by replica: Replica, _ isHeld: @escaping @Sendable (Bool) -> Void
    ) -> StoreHandle {
        let new = Asked(id, replica, isHeld)
        asked[id, default: []].append(new)
        giveSoon(id)
        return StoreHandle { [self] in leave(new) }
    }

    /// Whether a replica may store what a session changed by itself: it holds the lease, or did when that was begun.
    func mayChange(_ id: SessionID, at replica: Replica) -> Bool {
        allowed[id]?[replica.name, default: -1] ?? -1 >= world.now
    }

    /// What a dead replica held is another's in a few seconds.
    func lose(_ replica: Replica) {
        for known in asked.values.joined() where known.replica === replica { disallow(known) }
        world.at(world.now + 3000 + world.dice.below(1000), for: nil) { [self] in
            for session in world.disk.sessions {
                for known in asked[session.id] ?? [] where known.replica === replica { leave(known) }
            }
        }
    }

    /// Who has lost the store knows after a while that others may hold what it held, and they do a little later.
    func noteOutage(of replica: Replica) {
        for session in world.disk.sessions {
            guard let holder = holders[session.id], holder.replica === replica else { continue }
            world.at(world.now + 2000, for: replica) { [self] in
                if replica.link.isAway, holders[session.id] === holder { tell(holder, false) }
            }
            world.at(world.now + 3000, for: nil) { [self] in
                if replica.link.isAway { take(from: holder) }
            }
        }
    }

    /// Who has lost the store can be given leases again, or holds what nobody took meanwhile.
    func giveAll() {
        for session in world.disk.sessions {
            if let holder = holders[session.id] { tellSoon(holder) } else { giveSoon(session.id) }
        }
    }

    private func giveSoon(_ id: SessionID) {
        world.at(world.now + world.dice.below(1000), for: nil) { [self] in give(id) }
    }

    private func give(_ id: SessionID) {
        guard holders[id] == nil, !world.isOver else { return }
        guard let next = asked[id]?.first(where: { $0.replica.isAlive && !$0.replica.link.isAway }) else { return }
        holders[id] = next
        tellSoon(next)
        // It is held up for so long that another takes over, and both hold it for a moment.
        guard !world.isHealed, world.dice.happens(100) else { return }
        world.at(world.now + world.dice.below(20_000), for: nil) { [self] in take(from: next) }
    }

    private func take(from holder: Asked) {
        guard holders[holder.id] === holder, !world.isOver else { return }
        world.log("\(holder.replica.name) loses the lease of \(world.disk[holder.id]?.name ?? "")")
        holders[holder.id] = nil
        asked[holder.id]?.removeAll { $0 === holder }
        asked[holder.id]?.append(holder)
        give(holder.id)
        world.at(world.now + world.dice.below(2000), for: nil) { [self] in
            if holders[holder.id] !== holder { tell(holder, false) }
        }
    }

    private func leave(_ known: Asked) {
        disallow(known)
        asked[known.id]?.removeAll { $0 === known }
        guard holders[known.id] === known else { return }
        holders[known.id] = nil
        if !world.isOver { giveSoon(known.id) }
    }

    /// Tells how it stands then: what was told before may come after it; and who asks no more is told late that it was given.
    private func tellSoon(_ known: Asked) {
        let wasHeld = holders[known.id] === known
        world.soon(for: known.replica) { [self] in
            if asked[known.id]?.contains(where: { $0 === known }) == true {
                tell(known, holders[known.id] === known)
            } else if known.replica.isAlive {
                known.isHeld(wasHeld)
            }
        }
    }

    private func tell(_ known: Asked, _ isHeld: Bool) {
        guard known.replica.isAlive, asked[known.id]?.contains(where: { $0 === known }) == true else { return }
        world.log(
            "\(known.replica.name) \(isHeld ? "holds" : "holds no more") the lease of \(world.disk[known.id]?.name ?? "")"
        )
        if isHeld { allowed[known.id, default: [:]][known.replica.name] = .max } else { disallow(known) }
        known.isHeld(isHeld)
    }

    /// From now on nothing is begun; what was may take its time.
    private func disallow(_ known: Asked) {
        guard allowed[known.id]?[known.replica.name] == .max else { return }
        allowed[known.id]?[known.replica.name] = world.now + 100_000
    }
}
