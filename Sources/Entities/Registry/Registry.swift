import Locking

/// The entities of a process: begins, finds and evicts them.
package final class Registry: Sendable {
    /// The bounds of a process.
    package struct Limits: Sendable {
        /// How many entities may be in memory.
        package var entities = 100_000
        /// How long an unused entity stays in memory.
        package var idleTime = Duration.seconds(120)
        /// How long an unused private session lives; at least 15 minutes.
        package var timeToLive = Duration.seconds(86_400)

        package init() {}
    }

    /// The result of a search: the entity, which stays in memory as long as the caller holds it.
    ///
    /// Or `ended` or `missing` for an entity that does not exist, `full` at the cap, `storeAway` otherwise.
    package typealias Found = Result<Entity, Outcome.Unavailable>

    struct Entry: Sendable {
        var entity: Entity
        var used: Duration
        /// When the last use was reported to the store.
        var touched: Duration
    }

    struct State: Sendable {
        var entries: [EntityID: Entry] = [:]
        /// Searches that wait for the store.
        var loading: [EntityID: [(isMaking: Bool, isUse: Bool, then: @Sendable (Found) -> Void)]] = [:]
        /// Entities whose use the next touch reports.
        var toTouch: Set<EntityID> = []
        /// Until then the registry does not search for room, because a search reads all entities.
        var isFullUntil = Duration.zero
        var isStopped = false

        var count: Int { entries.count + loading.count }
    }

    let environment: Environment
    package let limits: Limits
    /// The language of new entities.
    let language: String
    let state = Lock(State())
    /// The shortest time between two reports of an entity's use.
    static let touchInterval = Duration.seconds(60)

    /// Makes an empty registry; ``start()`` begins its housekeeping.
    package init(_ environment: Environment, language: String, limits: Limits = Limits()) {
        (self.environment, self.language, self.limits) = (environment, language, limits)
    }

    /// Begins a private session and stores it.
    ///
    /// - Parameter then: called once, on any thread, with the token for the client.
    package func begin(
        language: String? = nil, user: User? = nil, then: @escaping @Sendable (SessionToken, Found) -> Void
    ) {
        let token = SessionToken.random()
        guard state.withLock({ makeRoom(&$0) }) else { return then(token, .failure(.full)) }
        let id = token.entityID
        let new = EntityState.new(environment.kinds.session[language ?? self.language], user: user)
        environment.store.submit(Commit(id: id, base: nil, state: new)) { [self] result in
            guard case .stored = result else { return then(token, .failure(.storeAway)) }
            let session = state.withLock { insert(id, new, &$0) }
            limitLife(of: session, new.user)
            then(token, .success(session))
        }
    }

    /// Finds an entity by its name.
    ///
    /// - Parameters:
    ///   - isMaking: whether an action may make the entity if there is none.
    ///   - isUse: whether a client asks, which extends the life of a session.
    ///   - then: called once, on any thread; before this returns if the entity is in memory.
    package func find(
        _ id: EntityID, isMaking: Bool = false, isUse: Bool = true, then: @escaping @Sendable (Found) -> Void
    ) {
        enum Next { case found(Found), load, wait }
        let now = environment.timer.now
        let next = state.withLock { state -> Next in
            // A named entity that has ended may be made again.
            if let index = state.entries.index(forKey: id),
                !id.isNamed || !state.entries.values[index].entity.published.isEnded
            {
                state.entries.values[index].used = now
                if isUse, now - state.entries.values[index].touched >= Self.touchInterval {
                    state.entries.values[index].touched = now
                    state.toTouch.insert(id)
                }
                return .found(.success(state.entries.values[index].entity))
            }
            if state.loading[id] != nil {
                state.loading[id]?.append((isMaking, isUse, then))
                return .wait
            }
            guard makeRoom(&state) else { return .found(.failure(.full)) }
            state.loading[id] = [(isMaking, isUse, then)]
            return .load
        }
        switch next {
        case .found(let found): then(found)
        case .wait: break
        case .load:
            environment.store.load(id) { [self] in loaded(id, $0.map { EntityState($0, of: environment.kinds[id]) }) }
        }
    }

    private func loaded(_ id: EntityID, _ result: ReadResult<EntityState>) {
        let (kind, existsByName) = (environment.kinds[id], environment.kinds.existsByName(id))
        let known: (state: EntityState?, reason: Outcome.Unavailable)
        switch result {
        case .found(let state) where state.user?.timeLeft.map { $0 <= .zero } == true:
            environment.store.submit(Commit(id: id, base: state.head, state: state, isEnd: true)) { _ in }
            known = (nil, .ended)
        case .found(let state): known = (state, .ended)
        case .missing where existsByName: known = (EntityState(initial: kind[language]), .ended)
        case .missing: known = (nil, id.isNamed ? .missing : .ended)
        case .failed: known = (nil, .storeAway)
        }
        let (waiting, entity) = state.withLock { state in
            let waiting = state.loading.removeValue(forKey: id) ?? []
            var new = known.state
            // An action may make it. Until its commit is stored, views do not find the entity.
            if case .missing = known.reason, waiting.contains(where: { $0.isMaking }) {
                new = EntityState(initial: kind[language])
            }
            guard let new else { return (waiting, Entity?.none) }
            if id.expires, waiting.contains(where: \.isUse) { state.toTouch.insert(id) }
            return (waiting, insert(id, new, &state))
        }
        if let entity { limitLife(of: entity, known.state?.user) }
        for (isMaking, _, then) in waiting {
            if let entity, known.state != nil || isMaking {
                then(.success(entity))
            } else {
                then(.failure(known.reason))
            }
        }
    }

    /// Ends a session at the time that its user has; a later process ends it at the load.
    private func limitLife(of entity: Entity, _ user: User?) {
        guard let time = user?.timeLeft else { return }
        _ = environment.timer.schedule(at: environment.timer.now + max(time, .zero)) { [weak entity] in
            entity?.ask(Ask(.end) { _ in })
        }
    }

    private func insert(_ id: EntityID, _ known: EntityState, _ state: inout State) -> Entity {
        let now = environment.timer.now
        let entity = Entity(id, state: known, environment: environment)
        state.entries[id] = Entry(entity: entity, used: now, touched: now)
        return entity
    }

    /// Makes room for one more entity; false if all entities in memory are in use.
    private func makeRoom(_ state: inout State) -> Bool {
        guard state.count >= limits.entities else { return true }
        let now = environment.timer.now
        guard now >= state.isFullUntil else { return false }
        // Several of the least recently used entities at a time, so that the search is rare.
        let oldest = state.entries.sorted { $0.value.used < $1.value.used }.map(\.key)
        Self.evict(oldest, atMost: max(1, limits.entities / 16), from: &state)
        if state.count < limits.entities { return true }
        state.isFullUntil = now + .seconds(1)
        return false
    }

    /// Drops entities that no request, wait, turn, pending commit or deadline holds.
    ///
    /// Only this function drops entities, under the lock of ``find(_:isMaking:isUse:then:)``. So an entity without another
    /// reference stays without one.
    static func evict(_ ids: [EntityID], atMost limit: Int, from state: inout State) {
        var count = 0
        for id in ids where count < limit {
            guard let index = state.entries.index(forKey: id),
                isKnownUniquelyReferenced(&state.entries.values[index].entity)
            else { continue }
            state.entries.remove(at: index)
            count += 1
        }
    }
}
