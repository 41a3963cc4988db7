import Sessions

/// What a seed makes of its world: how many there are of each, and how much goes wrong.
///
/// Much is left out of each seed, so that what remains comes to its extremes.
struct Plan {
    let steps: Int
    let replicas: Int
    let clients: Int
    let sessions: Int
    /// How many store calls in a thousand fail: before anything is stored, and nobody knows whether.
    let notSent: Int
    let unknown: Int
    /// How many store calls in a thousand take time, and how many milliseconds at most.
    let delayed: Int
    let longest: Int
    /// How many commits in a thousand are stored before `submit` returns.
    let atOnce: Int
    /// How many actions in a thousand have no thread.
    let busy: Int
    let tick: Int
    let limits: SessionLimits
    /// Whether builds of both kinds serve the store at once.
    let isRolling: Bool
    /// Whether the jobs of a task are run as soon as they can be, or in any order.
    let eager: Int
    /// The weights of what happens next.
    let weights: [Int]
    /// The weights of the actions.
    let actions: [Int]

    init(_ dice: inout Dice) {
        steps = 220 + dice.below(60)
        replicas = 2 + dice.below(2)
        clients = 2 + dice.below(3)
        sessions = 1 + dice.below(3)
        notSent = dice.pick([0, 0, 10, 60])
        unknown = dice.pick([0, 0, 10, 60])
        delayed = dice.pick([0, 200, 700, 1000])
        longest = dice.pick([3, 30, 300])
        atOnce = dice.pick([0, 0, 300, 1000])
        busy = dice.pick([0, 0, 0, 50])
        tick = dice.pick([3000, 10000, 25000, 40000])
        isRolling = dice.happens(200)
        eager = dice.pick([0, 500, 900])
        var limits = SessionLimits()
        limits.timeToLive = .seconds(dice.pick([120, 600, 3600]))
        limits.timeInMemory = .seconds(dice.pick([3, 20, 60]))
        limits.pollsPerSession = dice.pick([2, 8])
        limits.waitingActions = dice.pick([4, 1024, 1024])
        self.limits = limits
        func some(_ usual: Int) -> Int { dice.pick([0, usual, usual, usual * 4]) }
        weights = Happening.allCases.map { happening in
            happening.isNeeded ? max(happening.weight, some(happening.weight)) : some(happening.weight)
        }
        actions = ActionKind.allCases.map { $0 == .add ? 12 : some($0.weight) }
    }
}

/// What can happen next.
enum Happening: Int, CaseIterable {
    case begin, act, retry, view, views, poll, listen, hangUp, language, end
    case tidy, endExpired, touch, kill, stop, start, outage, rewind, pass

    var isNeeded: Bool { self == .act || self == .start || self == .pass }

    var weight: Int {
        switch self {
        case .act: 60
        case .poll: 30
        case .pass: 30
        case .retry, .view: 16
        case .views, .listen, .hangUp, .start: 8
        case .begin, .language: 6
        case .tidy: 5
        case .touch, .endExpired: 3
        case .kill, .outage: 2
        case .end, .stop, .rewind: 1
        }
    }
}
