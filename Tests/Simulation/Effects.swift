import Entities

/// The numbers of actions that start effects, and of the results.
enum Effects {
    private static let starters = 1_000_000, cancels = 1_500_000, results = 2_000_000, failures = 3_000_000

    /// The key of effects with an odd number: a new one replaces the one before.
    static let key = "k"

    /// The number of an action that starts or cancels an effect.
    static func number(_ id: Int, of deed: Deed) -> Int { (deed == .cancel ? cancels : starters) + id }
    /// The number that the result of an effect leaves.
    static func result(of id: Int, isFailure: Bool) -> Int { id - starters + (isFailure ? failures : results) }

    static func isStarter(_ id: Int) -> Bool { (starters..<cancels).contains(id) }
    static func hasKey(_ id: Int) -> Bool { id % 2 == 1 }

    /// Whether each result of an effect with a key came before that effect was replaced or cancelled.
    static func isInOrder(_ ids: [Int]) -> Bool {
        var current: Int?
        for id in ids {
            if let starter = starter(of: id), hasKey(starter) {
                guard starter == current else { return false }
                current = nil
            } else if isStarter(id), hasKey(id) {
                current = id
            } else if (cancels..<results).contains(id) {
                current = nil
            }
        }
        return true
    }
    /// The action that started the effect with this result; nil for another number.
    static func starter(of id: Int) -> Int? {
        id < results ? nil : id - (id < failures ? results : failures) + starters
    }
}

extension StoredEntity {
    /// The effects in the row.
    var effects: [StoredEffect] { parts.lazy.compactMap { $0.value(StoredEffect.partName) }.first ?? [] }
}

extension Build {
    /// The effect that an action starts; nil for none.
    func effect(of body: Body, _ part: String) -> StoredEffect? {
        guard body.deed == .effect || body.deed == .timer else { return nil }
        return StoredEffect(
            id: "\(body.id)", part: part, name: "\(body.deed)", key: Effects.hasKey(body.id) ? Effects.key : nil,
            input: "{}", due: 0)
    }

    func terms(of effect: StoredEffect) -> EffectTerms? {
        guard declarations.contains(where: { $0.name == effect.part }) else { return nil }
        return EffectTerms(attempts: 2, timeout: .seconds(10), isTimer: effect.name == "timer")
    }

    func call(for effect: StoredEffect, _ result: Result<any Sendable, any Error>, of id: EntityID) -> Call {
        var isFailure = false
        if case .failure = result { isFailure = true }
        let id = Effects.result(of: Int(effect.id) ?? 0, isFailure: isFailure)
        let step = EffectStep(effect, ifAttempt: isFailure ? effect.attempts : nil, to: nil)
        return Call(part: effect.part, step: step, body: Body(id: id, deed: .add, ask: -1))
    }
}

extension World {
    /// A process begins an attempt.
    func perform(_ effect: StoredEffect, on replica: Replica) {
        guard let terms = replica.build.terms(of: effect) else { return }
        let time = effect.time(at: clock, terms)
        guard time > .zero else { return }
        log("\(replica.index) begins attempt \(effect.attempts) of \(effect.id)")
        judge.performs(effect, wasPutBack: store.wasPutBack)
        if !store.wasPutBack, replicas.contains(where: { $0.work.contains { $0.effect.id == effect.id } }) {
            judge.find("Two attempts of \(effect.id) run at a time.")
        }
        replica.work.append((effect, clock + time))
    }

    /// An attempt comes to its end.
    func endWork(of replica: Replica) {
        guard !replica.work.isEmpty else { return }
        end(replica.work.remove(at: dice.roll(replica.work.count)).effect, isFailure: dice.oneIn(3), on: replica)
    }

    private func end(_ effect: StoredEffect, isFailure: Bool, on replica: Replica) {
        log("attempt \(effect.attempts) of \(effect.id) \(isFailure ? "fails" : "succeeds")")
        guard isFailure, let terms = replica.build.terms(of: effect) else {
            return move(effect, .finish(.success(())), on: replica)
        }
        let isLast = effect.attempts >= terms.attempts
        move(effect, effect.move(after: Failed(), isLast: isLast, at: clock), on: replica)
    }

    private func move(_ effect: StoredEffect, _ move: EffectMove, on replica: Replica) {
        let kind: Ask.Kind =
            switch move {
            case .step(let next): .effect(EffectStep(effect, ifAttempt: effect.attempts, to: next))
            case .finish(let result): .action(replica.build.call(for: effect, result, of: id))
            }
        replica.mail.append(.ask(Ask(kind) { _ in }))
    }

    /// A process looks for effects that are due.
    func takeDue(_ replica: Replica) {
        guard !replica.core.isEnded, store.takeDue(at: clock, &dice, isCalm: isCalm) else { return }
        replica.refresh { [unowned self, unowned replica] outcome in
            guard case .done(let state) = outcome else { return }
            for effect in state.effects where effect.due <= clock.milliseconds {
                guard state.canRead(effect.part), let terms = replica.build.terms(of: effect) else { continue }
                move(effect, effect.move(at: clock, terms), on: replica)
            }
        }
    }

    /// Moves the time; attempts that pass their deadline end.
    func advance(by time: Duration) {
        clock += time
        for replica in replicas {
            let late = replica.work.filter { $0.deadline <= clock }
            replica.work.removeAll { $0.deadline <= clock }
            for (effect, _) in late { end(effect, isFailure: true, on: replica) }
        }
    }

    private var effects: [StoredEffect] { store.table.load(id)?.effects ?? [] }

    /// Lets the time pass until nothing is due that a process knows.
    func finishEffects() {
        for round in 0..<24 where judge.finding == nil && !effects.isEmpty {
            // The first one that looks takes them, and may not know them.
            for index in replicas.indices {
                let replica = replicas[(round + index) % replicas.count]
                while !replica.work.isEmpty { endWork(of: replica) }
                takeDue(replica)
            }
            drain()
            advance(by: .seconds(40))
        }
        for replica in replicas { while !replica.work.isEmpty { endWork(of: replica) } }
        drain()
        for effect in effects
        where replicas.contains(where: { !$0.core.isEnded && $0.core.committed.canRead(effect.part) }) {
            judge.find("\(effect.id) is due and forgotten.")
        }
    }
}
