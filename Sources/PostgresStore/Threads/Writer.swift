import Entities
import StoreParts

/// Writes commits and ends: one thread with one connection, a group at a time.
struct Writer {
    /// Work that waits for the thread.
    enum Request: Sendable {
        case write(Write)
        /// Asks whether commits work.
        case probe(@Sendable (Bool) -> Void)
    }

    private let common: Common
    private let groups: GroupCommit
    /// Writes that wait for another write of their entity, or whose row another replica holds.
    private var rest: [Write] = []
    /// The time since which another replica holds the row of an entity.
    private var held: [EntityID: ContinuousClock.Instant] = [:]
    private var lastSuccess: ContinuousClock.Instant?

    init(_ common: Common) { (self.common, groups) = (common, GroupCommit(common)) }

    /// Works until the lane is closed and everything is answered.
    mutating func run() {
        while true {
            let requests = common.writes.take(atMost: common.settings.groupLimit, by: wakeTime)
            guard requests != nil || !rest.isEmpty else { return }
            var probes: [@Sendable (Bool) -> Void] = []
            var writes: [Write] = []
            for request in requests ?? [] {
                switch request {
                case .write(let write): writes.append(write)
                case .probe(let done): probes.append(done)
                }
            }
            write(rest + writes)
            // While the store is lost, a wake-up without work probes it.
            let isIdle = requests?.isEmpty == true && rest.isEmpty
            if !probes.isEmpty || isIdle && common.health.isLost { answer(probes) }
        }
    }

    /// When the thread has work without a request; nil for never.
    private var wakeTime: ContinuousClock.Instant? {
        guard rest.isEmpty else { return .now + .microseconds(held.isEmpty ? 0 : Int.random(in: 1_000...10_000)) }
        return common.health.isLost ? .now + common.settings.probeInterval : nil
    }

    private mutating func write(_ writes: [Write]) {
        let group = Group(writes)
        rest = group.rest
        guard !group.items.isEmpty else { return }
        common.health.begin()
        groups.write(group.items) { take($0) }
        let failure = groups.failure
        common.health.end(failure?.message)
        if failure == nil { lastSuccess = .now }
        // The other writes would wait for a deadline, too.
        if let failure, [.timedOut, .notConnected].contains(failure.kind) { refuseEverything() }
    }

    /// Takes the results of one statement.
    private mutating func take(_ results: [GroupCommit.Result]) {
        var settled: [(item: Group.Item, result: CommitResult)] = []
        for (item, result) in results {
            if result == nil {
                let since = held[item.id] ?? .now
                if .now - since < common.settings.commitTimeout {
                    held[item.id] = since
                    rest.insert(contentsOf: item.writes, at: 0)
                    continue
                }
            }
            held[item.id] = nil
            settled.append((item, result ?? .refused))
        }
        let stored = settled.compactMap { if case .stored = $0.result { $0.item.id } else { nil } }
        common.answers.async { [settled] in for (item, result) in settled { item.settle(result) } }
        if !stored.isEmpty { common.hints.tell(stored) }
    }

    /// Refuses all waiting writes.
    private mutating func refuseEverything() {
        var writes = rest
        (held, rest) = ([:], [])
        for request in common.writes.take(atMost: .max, by: .now) ?? [] {
            switch request {
            case .write(let write): writes.append(write)
            case .probe(let done): common.answers.async { done(false) }
            }
        }
        common.answers.async { [writes] in for write in writes { write.done(.refused) } }
    }

    private mutating func answer(_ probes: [@Sendable (Bool) -> Void]) {
        if common.health.isLost || lastSuccess.map({ $0 + common.settings.probeInterval < .now }) ?? true {
            common.health.begin()
            let failure = groups.probe()
            common.health.end(failure?.message)
            if failure == nil { lastSuccess = .now }
        }
        let works = !common.health.isLost
        common.answers.async { for done in probes { done(works) } }
    }
}
