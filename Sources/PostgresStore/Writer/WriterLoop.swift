import Entities
import Foundation
import StoreParts

/// The state of the writer's thread.
struct WriterLoop {
    /// Writes of an entity, and when they are given up if another replica holds the row.
    private struct Attempt {
        let item: Group.Item
        let deadline: ContinuousClock.Instant
    }

    private let lane: Lane<Writer.Request>
    private let reader: Reader
    private let health: StoreHealth
    private let underWay: UnderWay
    private let settings: PostgresStore.Settings
    private let answers: Answers
    private let doubts: Doubts
    private let moved: ([EntityID]) -> Void
    private let groups: GroupCommit
    /// Writes that wait for another write of their entity.
    private var rest: [Write] = []
    /// Writes whose rows another replica holds; they are tried again at `retryTime`.
    private var held: [Attempt] = []
    private var retryTime = ContinuousClock.now
    /// Questions that wait for the writes before them.
    private var questions: [Reader.Question] = []
    private var lastSuccess: ContinuousClock.Instant?

    init(
        _ common: Common, _ lane: Lane<Writer.Request>, _ reader: Reader, _ health: StoreHealth,
        _ underWay: UnderWay, moved: @escaping ([EntityID]) -> Void
    ) {
        (self.lane, self.reader, self.health, self.underWay) = (lane, reader, health, underWay)
        (settings, answers, doubts, self.moved) = (common.settings, common.answers, common.doubts, moved)
        groups = GroupCommit(common)
    }

    /// Works until the lane is closed and everything is answered.
    mutating func run() {
        while true {
            let wakeTime = wakeTime
            let requests = lane.take(atMost: settings.groupLimit, by: wakeTime)
            if requests == nil {
                guard let wakeTime, !rest.isEmpty || !held.isEmpty else { return }
                Thread.sleep(forTimeInterval: max(0, (wakeTime - .now) / .seconds(1)))
            }
            var probes: [@Sendable (Bool) -> Void] = []
            var writes: [Write] = []
            for request in requests ?? [] {
                switch request {
                case .write(let write): writes.append(write)
                case .question(let question): questions.append(question)
                case .probe(let done): probes.append(done)
                }
            }
            turn(writes)
            passQuestions()
            // While the store is lost, a wake-up without work looks whether it is back.
            let isIdle = requests?.isEmpty == true && held.isEmpty
            if !probes.isEmpty || isIdle && health.isLost { answer(probes) }
        }
    }

    /// When the thread has something to do without a request; nil for never.
    private var wakeTime: ContinuousClock.Instant? {
        let blocked = Set(held.map(\.item.id))
        if rest.contains(where: { !blocked.contains($0.id) }) { return .now }
        if !held.isEmpty { return retryTime }
        return health.isLost ? .now + settings.probeInterval : nil
    }

    private mutating func turn(_ writes: [Write]) {
        let blocked = Set(held.map(\.item.id))
        let doubtful = doubts.all
        var waiting: [Write] = []
        var later: [Write] = []
        for write in rest + writes {
            if doubtful.contains(write.id) {
                settle([(write.id, [write.done], .refused)])
            } else if blocked.contains(write.id) {
                later.append(write)
            } else {
                waiting.append(write)
            }
        }
        let group = Group(waiting)
        rest = group.rest + later
        let now = ContinuousClock.now
        var batch = group.writes.map { Attempt(item: $0, deadline: now + settings.commitTimeout) }
        if retryTime <= now {
            batch += held
            held = []
        }
        if !batch.isEmpty { write(batch) }
    }

    private mutating func write(_ batch: [Attempt]) {
        let deadlines = Dictionary(uniqueKeysWithValues: batch.map { ($0.item.id, $0.deadline) })
        health.begin()
        var failure: PostgresFailure?
        groups.write(batch.map(\.item)) { results in
            for case .failed(let reason) in results.map(\.outcome) where !reason.isOfRow { failure = reason }
            take(results, deadlines)
        }
        health.end(failure?.message)
        if failure == nil { lastSuccess = .now }
        if !held.isEmpty { retryTime = .now + .microseconds(Int.random(in: 1_000...10_000)) }
        // The others would wait for a deadline, too.
        if let failure, [.timedOut, .notConnected].contains(failure.kind) { refuseEverything() }
    }

    /// Takes the outcomes of one statement.
    private mutating func take(_ results: [GroupCommit.Result], _ deadlines: [EntityID: ContinuousClock.Instant]) {
        var settled: [Settled] = []
        var stored: [EntityID] = []
        for (item, outcome) in results {
            switch outcome {
            case .held:
                if let deadline = deadlines[item.id], deadline > .now {
                    held.append(Attempt(item: item, deadline: deadline))
                } else {
                    settled.append((item.id, item.done, .refused))
                }
            case .answered(let result):
                settled.append((item.id, item.done, result))
                if case .stored = result { stored.append(item.id) }
            case .failed(let failure):
                let result = failure.commitResult
                settled.append((item.id, item.done, result))
                // Nobody builds on a session that is not known to be created.
                let isBuiltOn = item.base != nil || item.last == nil || !item.id.expires
                if case .unknown = result, isBuiltOn { doubts.add(item.id) }
            }
        }
        settle(settled)
        if !stored.isEmpty { moved(stored) }
    }

    /// Writes of one entity with their result.
    private typealias Settled = (id: EntityID, done: [@Sendable (CommitResult) -> Void], result: CommitResult)

    private func settle(_ settled: [Settled]) {
        answers.give { for (_, callbacks, result) in settled { for done in callbacks { done(result) } } }
        underWay.remove(settled.map { ($0.id, $0.done.count) })
    }

    /// Refuses what waits.
    private mutating func refuseEverything() {
        var writes: [Settled] = held.map { ($0.item.id, $0.item.done, .refused) }
        writes += rest.map { ($0.id, [$0.done], .refused) }
        (held, rest) = ([], [])
        for request in lane.take(atMost: .max, by: .now) ?? [] {
            switch request {
            case .write(let write): writes.append((write.id, [write.done], .refused))
            case .question(let question): questions.append(question)
            case .probe(let done): answers.give { done(false) }
            }
        }
        settle(writes)
    }

    private mutating func passQuestions() {
        guard !questions.isEmpty else { return }
        let blocked = Set(held.map(\.item.id) + rest.map(\.id))
        for question in questions where !blocked.contains(question.id) { reader.ask(question) }
        questions.removeAll { !blocked.contains($0.id) }
    }

    private mutating func answer(_ probes: [@Sendable (Bool) -> Void]) {
        if health.isLost || lastSuccess.map({ $0 + settings.probeInterval < .now }) ?? true {
            health.begin()
            let failure = groups.probe()
            health.end(failure?.message)
            if failure == nil { lastSuccess = .now }
        }
        let works = !health.isLost
        answers.give { for done in probes { done(works) } }
    }
}
