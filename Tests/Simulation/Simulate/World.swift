import CEntropy
import Sessions

/// One seed's world: its time, its store, those who serve it and those who ask.
// Safe: the simulation has one thread.
final class World: @unchecked Sendable {
    /// A day in 2096.
    static let firstSecond: Int64 = 4_000_000_000

    let options: Options
    var nameOfKey: [KeyDigest: String] = [:]
    /// Whether the store was put back under servers that went on.
    var hasLookedOn = false
    var dice: Dice
    let plan: Plan
    /// In milliseconds.
    var now = 0
    /// Counts what happens to be compared in time.
    private(set) var number = 0
    private(set) lazy var disk = Disk(of: self)
    private(set) lazy var leases = Leases(of: self)
    private(set) lazy var hints = Hints(of: self)
    private(set) lazy var judge = Judge(of: self)
    var replicas: [Replica] = []
    var names = Names()
    private var ready: [Event] = []
    private var timers = Timers()
    private var buried: [() -> Void] = []
    private var events = 0
    /// From here on nothing fails any more.
    private(set) var isHealed = false
    /// From here on nobody looks any more.
    private(set) var isOver = false
    var lastRewind = 0
    /// When that was.
    var rewoundAt = -1
    /// Whether builds of both kinds serve the store at once.
    var isRolling: Bool { plan.isRolling }

    init(seed: UInt64, options: Options) {
        self.options = options
        entropy_begin(seed)
        dice = Dice(seed: seed)
        plan = Plan(&dice)
    }

    var timeOfDay: TimeOfDay { TimeOfDay(secondsSince1970: Self.firstSecond + Int64(now / 1000)) }

    func nextNumber() -> Int {
        number += 1
        return number
    }

    // MARK: Time

    /// Something that happens at a time.
    @discardableResult
    func at(_ time: Int, for owner: Replica?, _ act: @escaping () -> Void) -> Event {
        events += 1
        let event = Event(time: time, number: events, owner: owner, act: act)
        timers.add(event)
        return event
    }

    /// Something that happens in any order with what else is ready, or some time later.
    func soon(for owner: Replica?, _ act: @escaping () -> Void) {
        if !isHealed, dice.happens(plan.delayed) {
            at(now + 1 + dice.below(plan.longest), for: owner, act)
        } else {
            events += 1
            ready.append(Event(time: now, number: events, owner: owner, act: act))
        }
    }

    func pause(for owner: Replica) async {
        await withUnsafeContinuation { continuation in soon(for: owner) { continuation.resume() } }
    }

    /// Keeps what nobody is to hear of until the world is over.
    func bury(_ act: @escaping () -> Void) { buried.append(act) }

    var isQuiet: Bool { Machine.jobs.isEmpty && ready.isEmpty }

    /// Lets one of those go on that can.
    func runOne() {
        let place = dice.below(Machine.jobs.count + ready.count)
        if place < Machine.jobs.count { return Machine.run(place) }
        ready.swapAt(place - Machine.jobs.count, ready.count - 1)
        fire(ready.removeLast())
    }

    func run(atMost count: Int) {
        var left = count
        while left > 0, !isQuiet {
            runOne()
            left -= 1
        }
    }

    private func fire(_ event: Event) {
        guard let act = event.act else { return }
        if let owner = event.owner, !owner.isAlive, !isOver { return bury(act) }
        act()
    }

    /// Lets time pass, and all happen that falls into it.
    func pass(to time: Int) {
        settle()
        while let next = timers.next, next.time <= time, !judge.hasFailed {
            guard let event = timers.removeFirst(), event.act != nil else { continue }
            now = max(now, event.time)
            fire(event)
            settle()
        }
        now = max(now, time)
    }

    /// Lets everything go on until all that is left waits for time to pass.
    func settle() {
        var turns = 0
        while !isQuiet, !judge.hasFailed {
            runOne()
            turns += 1
            if turns > 200_000 { return judge.fail("law 5", "something goes on for ever without any time passing") }
        }
    }

    // MARK: Slow actions

    func pickSlowTime() -> Int { 20_000 + dice.below(60_000) }

    /// Notes that actions of a replica may be held up, or what changes by itself in any session that it has.
    func noteSlow(_ time: Int, on replica: Replica) {
        for op in judge.open where op.replica === replica {
            if case .act = op.ask { op.isLate = true }
        }
        for session in disk.sessions {
            replica.holds[session.place] = now + time
            noteSlow(time, in: session)
        }
    }

    func noteSlow(_ time: Int, in session: StoredSession) {
        session.slowUntil = max(session.slowUntil, now) + 31_000 + time
    }

    // MARK: The end

    func heal() {
        isHealed = true
        for replica in replicas { replica.link.isAway = false }
        leases.giveAll()
        log("healed: the store fails and delays no more")
    }

    /// Ends whatever still waits, so that nothing of this world is left in the next.
    func end() {
        isOver = true
        for replica in replicas where replica.isAlive { replica.die() }
        replicas = []
        judge.bury()
        var turns = 0
        repeat {
            while !isQuiet {
                runOne()
                turns += 1
                if turns > 1_000_000 { fatalError("A world does not end.") }
            }
            let rest = buried
            buried = []
            for act in rest { act() }
            while let event = timers.removeFirst() { event.act?() }
        } while !isQuiet || !buried.isEmpty || !timers.isEmpty
    }

    func log(_ line: @autoclosure () -> String) {
        if options.isVerbose && !isOver { print("\(Self.text(now)) \(line())") }
    }

    static func text(_ time: Int) -> String {
        let text = "\(time / 1000).\(String(1000 + time % 1000).dropFirst())"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}

/// The names that random values go by: by the order of their appearance.
struct Names {
    private var epochs: [Epoch: Int] = [:]

    mutating func of(_ cursor: Cursor) -> String {
        let number = epochs[cursor.epoch] ?? epochs.count + 1
        epochs[cursor.epoch] = number
        return "e\(number).\(cursor.seq)"
    }

    mutating func of(tag: String) -> String { Cursor(tag.filter { $0 != "\"" }).map { of($0) } ?? tag }
}

extension World {
    func describe(_ failure: StoreFailure?) -> String {
        switch failure {
        case nil: "stored"
        case .conflict: "conflict"
        case .gone: "gone"
        case .notSent: "not sent"
        case .unknown: "unknown"
        case .unreadable: "unreadable"
        }
    }

    /// What a client calls a key.
    func name(of key: KeyDigest) -> String { nameOfKey[key] ?? "?" }

    func describe(_ commit: Commit) -> String {
        let session = disk[commit.id]?.name ?? "a new session"
        let viewModels = commit.viewModels.map { viewModel in
            let last = viewModel.name == "ledger" ? Judge.ids(in: viewModel.model).last : nil
            return viewModel.name + (last.map { " \($0)" } ?? "")
        }.joined(separator: "+")
        let key = commit.outcome.map { " key \(name(of: $0.key)) \($0.status)" } ?? ""
        return "\(session) \(commit.base.map { "#\($0.number)→" } ?? "")#\(commit.head.version.number)"
            + " \(names.of(commit.head.cursor)) \(viewModels)\(key)"
    }

    func describe(_ cursor: Cursor) -> String { names.of(cursor) }
}
