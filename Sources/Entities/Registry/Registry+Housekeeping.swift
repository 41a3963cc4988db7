// The registry's regular work.

extension Registry {
    /// The interval of housekeeping.
    static let interval = Duration.seconds(1)
    /// How many entities it ends, or evicts, at a time.
    static let batch = 1_000
    /// How long an entity with due effects belongs to this process, for its load and a commit.
    static let dueLease = Duration.seconds(5)

    /// Begins housekeeping, and observes the hints of a shared store; call it once.
    package func start() {
        if environment.store.isShared { environment.store.observe { [weak self] in self?.moved($0) } }
        tick(1)
    }

    /// Ends housekeeping, and reports the last uses to the store.
    package func stop() {
        let ids = state.withLock { state in
            state.isStopped = true
            defer { state.toTouch = [] }
            return Array(state.toTouch)
        }
        if !ids.isEmpty { environment.store.touch(ids) }
    }

    /// Answers all waits when the server drains.
    package func dismissWaits() {
        let entities = state.withLock { $0.entries.values.map(\.entity) }
        for entity in entities { entity.dismissWaits() }
    }

    /// The number of entities in memory.
    package var count: Int { state.withLock { $0.entries.count } }

    private func tick(_ count: Int) {
        let now = environment.timer.now
        let touched = state.withLock { state -> [EntityID]? in
            guard !state.isStopped else { return nil }
            if count % 10 == 0 {
                let idle = state.entries.filter { $0.value.used + limits.idleTime <= now }.map(\.key)
                Self.evict(idle, atMost: Self.batch, from: &state)
            }
            defer { state.toTouch = [] }
            return Array(state.toTouch)
        }
        guard let touched else { return }
        if !touched.isEmpty { environment.store.touch(touched) }
        takeDue()
        if count % 60 == 0 { expire() }
        _ = environment.timer.schedule(at: now + Self.interval) { [weak self] in self?.tick(count + 1) }
    }

    /// Wakes entities with due effects, also those that are not in memory, up to the limit of attempts.
    private func takeDue() {
        let room = environment.effects.room
        guard room > 0 else { return }
        environment.store.takeDue(limit: room, for: Self.dueLease) { [weak self] due in
            guard let self, let due else { return }
            environment.effects.note(due)
            for id in due.ids {
                find(id, isUse: false) { found in
                    if case .success(let entity) = found { entity.wake(at: due.now) }
                }
            }
        }
    }

    /// Deletes unused sessions and expired keys, in batches that are too small to delay commits.
    private func expire() {
        environment.store.expire(unusedFor: limits.timeToLive, limit: Self.batch) { [weak self] expired in
            guard let self else { return }
            for id in expired.ended { entity(id)?.ask(Ask(.end) { _ in }) }
            let isStopped = state.withLock { $0.isStopped }
            if expired.mayHaveMore, !isStopped { expire() }
        }
    }

    /// Another process has committed, or may have.
    private func moved(_ id: EntityID?) {
        if let id {
            entity(id)?.view { _ in }
        } else {
            // Hints may be lost, so look at all entities with waits.
            for entity in state.withLock({ $0.entries.values.map(\.entity) }) where entity.waitCount > 0 {
                entity.view { _ in }
            }
        }
    }

    private func entity(_ id: EntityID) -> Entity? { state.withLock { $0.entries[id]?.entity } }
}
