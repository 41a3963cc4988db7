import Locking
import ViewModels

/// Something that needs the session's turn: one at a time has it, in the order in which they came.
struct Ask: Sendable {
    enum Kind: Sendable {
        /// Runs an action.
        case act(ActionCall)
        /// Runs a change that comes from inside a view model.
        case change(InnerChange)
        /// Brings what is shown up to date: with the store, and with this build.
        case show(Asker)
        /// Reads the session again, whether it may be behind the store or not.
        case reload(Asker)
        /// Derives what was stored anew, by this build.
        case derive(Asker)
        /// Has the session speak another language.
        case changeLanguage(Language, Asker)
        /// Ends the session.
        case end(Asker)
    }

    let kind: Kind
    /// When it came, counted in asks.
    var arrival: UInt64
    /// Whether it goes before all that wait, as an operator's end of the session does.
    var isAhead = false
    /// How often it was begun again because others moved the session on.
    var repeats = 0
    /// Whether it waits a moment before it is begun again, so that replicas which met do not meet again.
    var isToPause = false
    /// When the action was run last; from then on whoever hangs up does not call it off.
    var begun: TimeOfDay?
    /// Whether the action has run, perhaps on a state that others moved on.
    var hasRun = false
    /// How long its runs took, all together.
    var seconds: Int64 = 0
    /// Whether the store has no outcome under the action's key.
    var isLookedUp = false
    /// The store's incarnation when it was asked for that: another one may have what this one had not.
    var lookedIn: UInt64?
    /// Whether what could not be encoded was looked at once more.
    var hasLookedAgain = false
    /// Whether the session's keys are to be counted anew.
    var countsKeys = false
    /// Whether it ran on commits that were not stored yet.
    var ranAhead = false
    /// Why the action failed, where it has run: the failure is stored under its key, and the action is not run again, also
    /// where the session was read again meanwhile.
    var failure: (any Error)?

    /// Whether it counts as an action where these are bounded: it costs as much as one, or more.
    var isAction: Bool {
        switch kind {
        case .act, .changeLanguage: true
        case .change, .show, .reload, .derive, .end: false
        }
    }
    var isChange: Bool { if case .change = kind { true } else { false } }
    /// Whether it is a change of an instance that was thrown away, and has nothing to wait for.
    var isDiscarded: Bool { if case .change(let change) = kind { change.instance.isDiscarded } else { false } }

    /// Whether the store is looked at after it came: it stands on state, or speaks of it, that others may have moved on.
    func needsReload(isShared: Bool) -> Bool {
        switch kind {
        case .reload: true
        case .act, .show, .change, .changeLanguage: isShared
        case .derive, .end: false
        }
    }

    /// Whether it may be run on what is known, and the store be left to say whether that was the latest: what is run twice
    /// where it was not is to do nothing outside, as what waits for nobody.
    func mayGoAhead(in catalogue: Catalogue) -> Bool {
        switch kind {
        case .act(let call): !catalogue.viewModels[call.id.viewModel].actions[call.id.action].isAsync
        case .change: true
        case .show, .reload, .derive, .changeLanguage, .end: false
        }
    }

    /// Whether the stored outputs have to be derived by this build first.
    ///
    /// An action that ran earlier would store this build's outputs without a number of their own, and the derivation would
    /// find no difference to tell clients of.
    var standsOnDerived: Bool {
        switch kind {
        case .act, .change, .show, .derive, .changeLanguage: true
        case .reload, .end: false
        }
    }

    init(_ kind: Kind, arrival: UInt64) {
        self.kind = kind
        self.arrival = arrival
    }
}

/// An action, by its places.
package struct ActionID: Hashable, Sendable {
    /// The place of the view model in the catalogue.
    package let viewModel: Int
    /// The place of the action in its view model's declaration.
    package let action: Int

    /// Names an action.
    package init(_ action: Int, of viewModel: Int) {
        self.action = action
        self.viewModel = viewModel
    }
}

/// An action that was asked for.
///
/// A class: it is passed on many times, and one reference costs less than those in it.
final class ActionCall: Sendable {
    /// Which action.
    let id: ActionID
    /// JSON text; empty where none was sent.
    let body: [UInt8]
    /// What makes it the same as another that was asked for; nil for one that may happen again.
    let request: IdempotentRequest?
    /// Given the view model's entity tag, whether the action may run; nil where it cannot be shown.
    let isWanted: @Sendable (String?) -> Bool
    /// Who asked.
    let promise = Lock(Promise<ActionResult>())

    init(
        _ id: ActionID, body: [UInt8], once request: IdempotentRequest?,
        where isWanted: @escaping @Sendable (String?) -> Bool
    ) {
        self.id = id
        self.body = body
        self.request = request
        self.isWanted = isWanted
    }
}

/// A change that a view model makes by itself.
final class InnerChange: Sendable {
    /// Which instance makes it.
    let viewModel: ObjectIdentifier
    /// Names the instance for as long as anybody asks for it.
    let instance: LiveViewModels.InstanceID
    /// Makes it.
    let body: @Sendable () -> Void
    /// Who asked.
    let asker = Asker()

    init(of viewModel: ObjectIdentifier, instance: LiveViewModels.InstanceID, _ body: @escaping @Sendable () -> Void) {
        self.viewModel = viewModel
        self.instance = instance
        self.body = body
    }
}

/// An answer that is there already or still to come, once: a value, or why there is none.
///
/// Kept in a lock of whoever is to be answered, and safe from any thread. Not a class of its own: one that is generic is let
/// go of by way of its metadata, which costs each action a tenth of a microsecond.
struct Promise<Value: Sendable>: Sendable {
    fileprivate(set) var result: Result<Value, any Error>?
    fileprivate var waiting: [@Sendable (Result<Value, any Error>) -> Void] = []
}

extension Lock {
    /// The answer, where it is there.
    func result<Value>() -> Result<Value, any Error>? where State == Promise<Value> { withLock { $0.result } }

    /// Calls back, once, with the answer: before it returns where it is there, else from whatever thread brings it, so
    /// that it must not block.
    func whenResolved<Value>(_ act: @escaping @Sendable (Result<Value, any Error>) -> Void)
    where State == Promise<Value> {
        let result = withLock { promise in
            if promise.result == nil { promise.waiting.append(act) }
            return promise.result
        }
        if let result { act(result) }
    }

    /// Gives the answer; only the first is one.
    func resolve<Value>(_ result: Result<Value, any Error>) where State == Promise<Value> {
        let waiting: [@Sendable (Result<Value, any Error>) -> Void] = withLock { promise in
            guard promise.result == nil else { return [] }
            promise.result = result
            defer { promise.waiting = [] }
            return promise.waiting
        }
        for act in waiting { act(result) }
    }
}

/// Who asked for something that is done or not: told once.
final class Asker: Sendable {
    let promise = Lock(Promise<Void>())

    /// Returns when it is done; whether the task is cancelled or not.
    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            promise.whenResolved { continuation.resume(with: $0) }
        }
    }
}
