import Locking
import ViewModels

/// Something that needs the session's turn: one at a time has it, in the order in which they came.
struct Ask: Sendable {
    enum Kind: Sendable {
        /// Runs an action.
        case act(ActionCall)
        /// Runs a change that comes from inside a view model.
        case change(InnerChange)
        /// Makes view models that nobody has touched yet, to see what they show.
        case show([Int], Asker)
        /// Reads the session again, whether it may be behind the store or not.
        case reload(Asker)
        /// Derives what was stored anew, by this build.
        case derive(Asker)
        /// Ends the session.
        case end(Asker)
    }

    let kind: Kind
    /// When it came, counted in asks.
    var arrival: UInt64
    /// How often it was begun again because others moved the session on.
    var repeats = 0
    /// When the action was run last; from then on whoever hangs up does not call it off.
    var begun: TimeOfDay?
    /// Whether the action has run, perhaps on a state that others moved on.
    var hasRun = false
    /// How long its runs took, all together.
    var seconds: Int64 = 0
    /// Whether the store has no outcome under the action's key.
    var isLookedUp = false
    /// Whether the session's keys are to be counted anew.
    var countsKeys = false
    /// Why the action failed, where it has run: the failure is stored under its key, and the action is not run again, also
    /// where the session was read again meanwhile.
    var failure: (any Error)?

    var isAction: Bool { if case .act = kind { true } else { false } }
    var isChange: Bool { if case .change = kind { true } else { false } }

    /// Whether the store is looked at after it came: its answer speaks of state that others may have moved on.
    func needsReload(isShared: Bool) -> Bool {
        switch kind {
        case .reload: true
        case .act, .show: isShared
        case .change, .derive, .end: false
        }
    }

    /// Whether the stored outputs have to be derived by this build first.
    ///
    /// An action that ran earlier would store this build's outputs without a number of their own, and the derivation would
    /// find no difference to tell clients of.
    var standsOnDerived: Bool {
        switch kind {
        case .act, .change, .show, .derive: true
        case .reload, .end: false
        }
    }

    init(_ kind: Kind, arrival: UInt64) {
        self.kind = kind
        self.arrival = arrival
    }
}

/// An action, by its places.
public struct ActionID: Hashable, Sendable {
    /// The place of the view model in the catalogue.
    public let viewModel: Int
    /// The place of the action in its view model's declaration.
    public let action: Int

    /// Names an action.
    public init(_ action: Int, of viewModel: Int) {
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
    /// Given the view model's entity tag, whether the action may run.
    let isWanted: @Sendable (String) -> Bool
    /// Who asked.
    let promise = Lock(Promise<ActionResult>())

    init(
        _ id: ActionID, body: [UInt8], once request: IdempotentRequest?,
        where isWanted: @escaping @Sendable (String) -> Bool
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

/// Who waits for the turn: a queue whose head moves along instead of the rest.
struct AskLine: Sendable {
    private var waiting: [Ask?] = []
    private var first = 0
    private(set) var count = 0
    /// How many of them are actions.
    private(set) var actions = 0

    var isEmpty: Bool { count == 0 }
    /// How many places are kept, those of whom have gone among them.
    var storage: Int { waiting.count }

    mutating func append(_ ask: Ask) {
        waiting.append(ask)
        count += 1
        actions += ask.isAction ? 1 : 0
    }

    /// Whoever is next, who then is in line no more.
    mutating func next() -> Ask? {
        while first < waiting.count {
            let ask = waiting[first].take()
            first += 1
            if let ask {
                count -= 1
                actions -= ask.isAction ? 1 : 0
                tidy()
                return ask
            }
        }
        tidy()
        return nil
    }

    /// Takes out whom a condition names.
    ///
    /// - Returns: whether there was one.
    mutating func remove(where isMeant: (Ask) -> Bool) -> Bool {
        guard let index = waiting.indices.first(where: { waiting[$0].map(isMeant) ?? false }) else { return false }
        actions -= waiting[index]?.isAction == true ? 1 : 0
        waiting[index] = nil
        count -= 1
        // Whoever stands behind one that takes long may come and go.
        if waiting.count > 2 * count + 16 {
            waiting = waiting[first...].filter { $0 != nil }
            first = 0
        }
        return true
    }

    /// Forgets those who have gone once they are the greater part: a line that never empties must not grow for ever.
    private mutating func tidy() {
        if count == 0 {
            waiting.removeAll(keepingCapacity: waiting.capacity <= 16)
            first = 0
        } else if first >= 16, first * 2 >= waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
    }
}
