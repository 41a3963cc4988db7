/// Work or a timer that an action has started, as the entity's row keeps it.
///
/// The commit of that action stores it in the same row, so both are stored or neither is. Each step is a commit that finds
/// the effect in the row, so its result is applied once.
package struct StoredEffect: Codable, Sendable, Equatable {
    /// The id, the same for every attempt.
    package let id: String
    /// The view model that started it, and takes the result.
    package let part: String
    /// The declared name, or that of an action on another entity (``act(on:)``).
    package let name: String
    /// The name by which the view model replaces or cancels it.
    package let key: String?
    /// The input as JSON.
    package let input: String
    /// How many attempts have begun.
    package var attempts: Int
    /// The time from which a process may take it, in milliseconds since 1970 by the store's clock.
    ///
    /// During an attempt it is the time at which the attempt counts as lost.
    package var due: Int64

    /// The name of the effect that is an action on another entity; no view model can declare it.
    package static func act(on entity: String) -> String { "$act \(entity)" }

    /// Whether the effect is an action on another entity.
    var isAct: Bool { name.hasPrefix("$act ") }

    package init(
        id: String, part: String, name: String, key: String? = nil, input: String, attempts: Int = 0, due: Int64
    ) {
        (self.id, self.part, self.name, self.key, self.input) = (id, part, name, key, input)
        (self.attempts, self.due) = (attempts, due)
    }

    /// A copy after an attempt has begun, failed or been delayed.
    func with(attempts: Int, due: Duration) -> StoredEffect {
        var effect = self
        (effect.attempts, effect.due) = (attempts, due.milliseconds)
        return effect
    }

    /// The name of the stored part; no view model can be called so.
    package static let partName = "$effects"
}

/// A change of an entity's effects by a commit.
package enum EffectChange: Sendable {
    /// Adds an effect, and replaces the one with the same view model and key.
    ///
    /// `after` is the delay that the view model asks for, nil for none; the driver computes the time.
    case start(StoredEffect, after: Duration?)
    /// Removes the effect of a view model with this key.
    case cancel(part: String, key: String)
    /// Takes a step of an effect.
    case step(EffectStep)

    /// The id of an effect that this process may run, once the commit is stored.
    var taken: String? {
        switch self {
        case .start(let effect, _): effect.attempts > 0 ? effect.id : nil
        case .step(let step): step.isTake ? step.id : nil
        case .cancel: nil
        }
    }
}

/// A step of an effect; void if the entity does not have the effect any more.
package struct EffectStep: Sendable {
    /// The effect.
    package let id: String
    /// How many attempts must have begun; nil for any number.
    package let attempts: Int?
    /// The effect after the step; nil if it ends.
    package let next: StoredEffect?

    package init(_ effect: StoredEffect, ifAttempt attempts: Int?, to next: StoredEffect?) {
        (id, self.attempts, self.next) = (effect.id, attempts, next)
    }

    /// Whether an attempt begins.
    var isTake: Bool { next.map { $0.attempts > (attempts ?? .max) } ?? false }
}

extension [StoredEffect] {
    /// The effects that may run: actions on the same entity run in their order.
    var ready: [StoredEffect] {
        var names: Set<String> = []
        return filter { !$0.isAct || names.insert($0.name).inserted }
    }

    /// Whether a step is still valid.
    func allows(_ step: EffectStep) -> Bool {
        contains { $0.id == step.id && (step.attempts ?? $0.attempts) == $0.attempts }
    }

    mutating func apply(_ change: EffectChange) {
        switch change {
        case .start(let effect, _):
            if let key = effect.key { remove(effect.part, key) }
            append(effect)
        case .cancel(let part, let key): remove(part, key)
        case .step(let step):
            guard let place = firstIndex(where: { $0.id == step.id }) else { return }
            if let next = step.next { self[place] = next } else { remove(at: place) }
        }
    }

    private mutating func remove(_ part: String, _ key: String) { removeAll { $0.part == part && $0.key == key } }
}
