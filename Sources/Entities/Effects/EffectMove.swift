/// The terms on which an effect runs.
package struct EffectTerms: Sendable {
    /// How many attempts may begin.
    package let attempts: Int
    /// How long an attempt may take.
    package let timeout: Duration
    /// Whether there is no work: the view model takes the result at once.
    package let isTimer: Bool

    package init(attempts: Int, timeout: Duration, isTimer: Bool) {
        (self.attempts, self.timeout, self.isTimer) = (attempts, timeout, isTimer)
    }

    /// The terms of an action on another entity: only its own answer ends it.
    static let act = EffectTerms(attempts: .max, timeout: .seconds(10), isTimer: false)

    /// How long an attempt counts as running: its timeout, and some time for its commit.
    package var lease: Duration { timeout + .seconds(5) }

    /// The pause after a failed attempt: twice as long each time, up to a minute, with a jitter of a half.
    package static func delay(after attempts: Int) -> Duration {
        .seconds(Double(min(60, 1 << min(max(attempts, 1) - 1, 6))) * Double.random(in: 0.5...1.5))
    }
}

/// Why an effect failed without an error of its work.
package enum EffectFault: Error, Sendable {
    /// The attempt took too long.
    case timedOut
    /// The process that ran the last attempt did not report its end.
    case lost
}

/// The next step of an effect.
package enum EffectMove: Sendable {
    /// The effect changes, and the view model does not see it.
    case step(StoredEffect)
    /// The view model takes the result, in the commit that removes the effect.
    case finish(Result<any Sendable, any Error>)
}

extension StoredEffect {
    /// The move of an effect that is due.
    package func move(at now: Duration, _ terms: EffectTerms) -> EffectMove {
        if terms.isTimer { return .finish(.success(())) }
        guard attempts < terms.attempts else { return .finish(.failure(EffectFault.lost)) }
        return .step(with(attempts: attempts + 1, due: now + terms.lease))
    }

    /// How long a counted attempt may take, so that two attempts never run at a time by the store's clock.
    package func time(at now: Duration, _ terms: EffectTerms) -> Duration {
        min(terms.timeout, .milliseconds(due) - now)
    }

    /// The move after a failed attempt.
    package func move(after error: any Error, isLast: Bool, at now: Duration) -> EffectMove {
        isLast
            ? .finish(.failure(error))
            : .step(with(attempts: attempts, due: now + EffectTerms.delay(after: attempts)))
    }
}

extension Changes {
    /// Sets the times of the effects that the action has started.
    ///
    /// - Parameter takes: the terms of effects that this process runs as soon as the commit is stored; nil for others.
    package func timed(
        at now: Duration, after known: [StoredEffect], takes: (StoredEffect) -> EffectTerms?
    ) -> Changes {
        var (changes, known) = (self, known)
        changes.effects = effects.map { change in
            guard case .start(var effect, let delay) = change else { return change }
            effect.due = (now + (delay ?? .zero)).milliseconds
            known.append(effect)
            if delay == nil, let terms = takes(effect), !terms.isTimer, known.ready.last?.id == effect.id {
                effect = effect.with(attempts: 1, due: now + terms.lease)
            }
            return .start(effect, after: delay)
        }
        return changes
    }
}
