import Entities
import Foundation
import StoreParts

/// Writes commits and ends: one thread with one connection, a group at a time.
struct Writer {
    /// What waits for the thread.
    enum Request: Sendable {
        case write(Write)
        /// Whether commits work.
        case probe(@Sendable (Bool) -> Void)
    }

    private let common: Common
    private let groups: GroupCommit
    /// Writes that wait for another write of their entity.
    private var rest: [Write] = []
    /// Writes whose rows another replica holds; they are tried again at `retryTime`.
    private var held: [Attempt] = []
    private var retryTime = ContinuousClock.now
    private var lastSuccess: ContinuousClock.Instant?

    init(_ common: Common) { (self.common, groups) = (common, GroupCommit(common)) }

    /// Works until the lane is closed and everything is answered.
    mutating func run() {
        while true {
            let wakeTime = wakeTime
            let requests = common.writes.take(atMost: common.settings.groupLimit, by: wakeTime)
            if requests == nil {
                guard let wakeTime, !rest.isEmpty || !held.isEmpty else { return }
                Thread.sleep(forTimeInterval: max(0, (wakeTime - .now) / .seconds(1)))
            }
            var probes: [@Sendable (Bool) -> Void] = []
            var writes: [Write] = []
            for request in requests ?? [] {
                switch request {
                case .write(let write): writes.append(write)
                case .probe(let done): probes.append(done)
                }
            }
            turn(writes)
            // While the store is lost, a wake-up without work looks whether it is back.
            let isIdle = requests?.isEmpty == true && held.isEmpty
            if !probes.isEmpty || isIdle && common.health.isLost { answer(probes) }
        }
    }

    /// When the thread has something to do without a request; nil for never.
    private var wakeTime: ContinuousClock.Instant? {
        let blocked = Set(held.map(\.item.id))
        if rest.contains(where: { !blocked.contains($0.id) }) { return .now }
        if !held.isEmpty { return retryTime }
        return common.health.isLost ? .now + common.settings.probeInterval : nil
    }

    private mutating func turn(_ writes: [Write]) {
        let blocked = Set(held.map(\.item.id))
        let doubtful = common.doubts.withLock { $0 }
        var waiting: [Write] = []
        var later: [Write] = []
        for write in rest + writes {
            if doubtful.contains(write.id) {
                settle([([write.done], .refused)])
            } else if blocked.contains(write.id) {
                later.append(write)
            } else {
                waiting.append(write)
            }
        }
        let group = Group(waiting)
        rest = group.rest + later
        let now = ContinuousClock.now
        var batch = group.writes.map { Attempt(item: $0, deadline: now + common.settings.commitTimeout) }
        if retryTime <= now {
            batch += held
            held = []
        }
        if !batch.isEmpty { write(batch) }
    }

    private mutating func write(_ batch: [Attempt]) {
        common.health.begin()
        groups.write(batch) { take($0) }
        let failure = groups.failure
        common.health.end(failure?.message)
        if failure == nil { lastSuccess = .now }
        if !held.isEmpty { retryTime = .now + .microseconds(Int.random(in: 1_000...10_000)) }
        // The others would wait for a deadline, too.
        if let failure, [.timedOut, .notConnected].contains(failure.kind) { refuseEverything() }
    }

    /// Takes the results of one statement.
    private mutating func take(_ results: [GroupCommit.Result]) {
        var settled: [Settled] = []
        var stored: [EntityID] = []
        for (attempt, result) in results {
            let item = attempt.item
            if result == nil, attempt.deadline > .now {
                held.append(attempt)
                continue
            }
            settled.append((item.done, result ?? .refused))
            if case .stored? = result { stored.append(item.id) }
            // Nobody builds on a session that is not known to be created.
            let isBuiltOn = item.base != nil || item.last == nil || !item.id.expires
            if case .unknown? = result, isBuiltOn { common.doubts.withLock { _ = $0.insert(item.id) } }
        }
        settle(settled)
        if !stored.isEmpty { common.hints.tell(stored) }
    }

    /// Writes of one entity with their result.
    private typealias Settled = (done: [@Sendable (CommitResult) -> Void], result: CommitResult)

    private func settle(_ settled: [Settled]) {
        common.answers.async { for (callbacks, result) in settled { for done in callbacks { done(result) } } }
    }

    /// Refuses what waits.
    private mutating func refuseEverything() {
        var writes: [Settled] = held.map { ($0.item.done, .refused) }
        writes += rest.map { ([$0.done], .refused) }
        (held, rest) = ([], [])
        for request in common.writes.take(atMost: .max, by: .now) ?? [] {
            switch request {
            case .write(let write): writes.append(([write.done], .refused))
            case .probe(let done): common.answers.async { done(false) }
            }
        }
        settle(writes)
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
