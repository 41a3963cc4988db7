import Sessions

/// Who waits for what others do, and is told of it: mostly soon; where a hint is lost, or the store is away, by a look within
/// a second of what else there is.
// Safe: the simulation has one thread.
final class Hints: @unchecked Sendable {
    // Safe: as above.
    private final class Watch: @unchecked Sendable {
        let replica: Replica
        let moved: @Sendable (CommitVersion?) -> Void

        init(_ replica: Replica, _ moved: @escaping @Sendable (CommitVersion?) -> Void) {
            (self.replica, self.moved) = (replica, moved)
        }
    }

    private let world: World
    private var watches: [SessionID: [Watch]] = [:]

    init(of world: World) { self.world = world }

    func watch(
        _ id: SessionID, by replica: Replica, _ moved: @escaping @Sendable (CommitVersion?) -> Void
    ) -> StoreHandle {
        let new = Watch(replica, moved)
        watches[id, default: []].append(new)
        return StoreHandle { [self] in watches[id]?.removeAll { $0 === new } }
    }

    /// Tells all who watch a session that it stands elsewhere.
    func send(of session: StoredSession) {
        for watch in watches[session.id] ?? [] {
            let isLost = !world.isHealed && world.dice.happens(300)
            if isLost {
                look(at: session, for: watch)
            } else {
                world.soon(for: watch.replica) { [self] in tell(watch, session) }
            }
        }
    }

    private func look(at session: StoredSession, for watch: Watch) {
        world.at(world.now + 1 + world.dice.below(1000), for: watch.replica) { [self] in tell(watch, session) }
    }

    /// Tells how it stands then, which may be known.
    private func tell(_ watch: Watch, _ session: StoredSession) {
        guard !world.isOver, watches[session.id]?.contains(where: { $0 === watch }) == true else { return }
        if watch.replica.link.isAway { return look(at: session, for: watch) }
        watch.moved(session.head?.record.head.version)
    }
}
