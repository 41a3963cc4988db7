// How the driver runs effects: each step is an ask, so the core decides whether it is still valid.

extension Entity {
    private var runner: EffectRunner { environment.effects }

    func terms(of effect: StoredEffect) -> EffectTerms? {
        effect.isAct ? .act : kind.host.terms(of: effect)
    }

    /// Takes the effects that are due.
    ///
    /// - Parameter now: the time by the store's clock.
    package func wake(at now: Duration) {
        view { [self] outcome in
            guard case .done(let state) = outcome else { return }
            for effect in state.effects.ready where effect.due <= now.milliseconds {
                take(effect, of: state, at: now)
            }
        }
    }

    private func take(_ effect: StoredEffect, of state: EntityState, at now: Duration) {
        guard let terms = terms(of: effect), state.canRead(effect.part) else {
            return runner.report(.unknown, effect, of: id)
        }
        switch effect.move(at: now, terms) {
        case .step(let next): if runner.room > 0 { step(effect, next) }
        case .finish(let result):
            if case .failure(let error) = result { runner.report(.failed(error, isLast: true), effect, of: id) }
            finish(effect, terms, result)
        }
    }

    private func step(_ effect: StoredEffect, _ next: StoredEffect?, then: @escaping @Sendable () -> Void = {}) {
        ask(Ask(.effect(EffectStep(effect, ifAttempt: effect.attempts, to: next))) { _ in then() })
    }

    /// Runs an attempt that a commit has counted.
    func perform(_ effect: StoredEffect) {
        guard let terms = terms(of: effect) else { return }
        let time = effect.time(at: environment.store.now, terms)
        // The commit took too long: the attempt counts as lost.
        guard time > .zero else { return }
        guard runner.begin() else { return putOff(effect) }
        let isTaken = environment.executor.run(for: time, environment.timer) { [self] in
            do { return .success(try await work(effect)) } catch { return .failure(error) }
        } then: { [self] (result: Result<any Sendable, any Error>?) in
            switch result ?? .failure(EffectFault.timedOut) {
            case .success(let value): finish(effect, terms, .success(value)) { [self] in runner.end() }
            case .failure(let error): failed(effect, terms, error) { [self] in runner.end() }
            }
        }
        guard !isTaken else { return }
        runner.end()
        putOff(effect)
    }

    /// Tries again in a second, because the attempt did not begin.
    private func putOff(_ effect: StoredEffect) {
        step(effect, effect.with(attempts: effect.attempts - 1, due: environment.store.now + .seconds(1)))
    }

    private func work(_ effect: StoredEffect) async throws -> any Sendable {
        guard effect.isAct else { return try await kind.host.perform(effect) }
        return try await runner.act.withLock { $0.run }(effect, id)
    }

    /// Gives the result to the view model, in the commit that removes the effect; then calls back.
    ///
    /// Without a commit the effect stays, and the attempt counts as lost later.
    private func finish(
        _ effect: StoredEffect, _ terms: EffectTerms, _ result: Result<any Sendable, any Error>,
        then: @escaping @Sendable () -> Void = {}
    ) {
        guard !effect.isAct else {
            let step = EffectStep(effect, ifAttempt: nil, to: nil)
            // Another action on that entity may have waited for it.
            return ask(
                Ask(.effect(step)) { [self] _ in
                    then()
                    wake(at: environment.store.now)
                })
        }
        ask(
            Ask(.action(kind.host.call(for: effect, result, of: id))) { [self] outcome in
                let error: any Error
                switch outcome {
                case .failed(.action(is ModelUnreadable)): return then()
                case .refused(.action(let cause), _), .failed(.action(let cause)): error = cause
                case .failed(.tooLarge), .unavailable(.tooManyEffects): error = StateFull()
                default: return then()
                }
                if case .success = result, !terms.isTimer { return failed(effect, terms, error, then: then) }
                runner.report(.failed(error, isLast: true), effect, of: id)
                step(effect, nil, then: then)
            })
    }

    /// Delays the effect after a failed attempt; after the last attempt, the view model takes the error.
    private func failed(
        _ effect: StoredEffect, _ terms: EffectTerms, _ error: any Error, then: @escaping @Sendable () -> Void = {}
    ) {
        let isFinal = kind.host.isFinal(error)
        let isLast = effect.attempts >= terms.attempts || isFinal
        // A refusal is an answer of the external service for the view model, so the log gets no failure.
        if !isFinal || effect.isAct { runner.report(.failed(error, isLast: isLast), effect, of: id) }
        switch effect.move(after: error, isLast: isLast, at: environment.store.now) {
        case .step(let next): step(effect, next, then: then)
        case .finish(let result): finish(effect, terms, result, then: then)
        }
    }
}

/// The result of an effect would make its entity too large.
struct StateFull: Error {}
