import Entities
import Locking
import StoreParts

/// Writes commits and ends: one thread with one connection, a group at a time.
final class Writer: Sendable {
    /// What waits for the thread.
    enum Request: Sendable {
        case write(Write)
        /// A question for an entity with writes under way: the writer passes it on once they are answered.
        case question(Reader.Question)
        /// Whether commits work.
        case probe(@Sendable (Bool) -> Void)
    }

    private let lane: Lane<Request>
    private let underWay = UnderWay()
    private let health: StoreHealth
    private let answers: Answers
    private let reader: Reader

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - lane: requests from elsewhere.
    ///   - moved: called on the thread with the entities that a statement wrote.
    ///   - closed: called at the end of the thread.
    init(
        _ common: Common, _ lane: Lane<Request>, _ reader: Reader,
        moved: @escaping @Sendable ([EntityID]) -> Void, closed: @escaping @Sendable () -> Void
    ) {
        (self.lane, self.reader, answers) = (lane, reader, common.answers)
        let start = ContinuousClock.now
        health = StoreHealth(now: { ContinuousClock.now - start }, tell: common.settings.tell)
        lane.start(named: "store-writer") { [lane, reader, health, underWay] in
            var loop = WriterLoop(common, lane, reader, health, underWay, moved: moved)
            loop.run()
            closed()
        }
    }

    /// Takes a commit or an end.
    func add(_ write: Write) {
        underWay.add(write.id)
        if !lane.add(.write(write)) { answers.give { write.done(.refused) } }
    }

    /// Takes a question, which is answered after the writes of its entity that came before.
    func add(_ question: Reader.Question) {
        if underWay.contains(question.id), lane.add(.question(question)) { return }
        reader.ask(question)
    }

    /// Says whether commits work, if need be by a commit of its own.
    func probe(_ done: @escaping @Sendable (Bool) -> Void) {
        // A hanging statement would keep the question waiting.
        if health.busyTime > .seconds(2) || !lane.add(.probe(done)) { answers.give { done(false) } }
    }

    /// Ends the thread after everything that waits.
    func close() { lane.close() }
}

/// How many writes of each entity have no answer.
final class UnderWay: Sendable {
    private let counts = Lock<[EntityID: Int]>([:])

    /// Whether there is any write of the entity.
    func contains(_ id: EntityID) -> Bool { counts.withLock { $0[id] != nil } }

    /// Notes a write.
    func add(_ id: EntityID) { counts.withLock { $0[id, default: 0] += 1 } }

    /// The writes are answered; questions that come now are answered later.
    func remove(_ settled: [(id: EntityID, count: Int)]) {
        counts.withLock { counts in
            for (id, count) in settled {
                guard let index = counts.index(forKey: id) else { continue }
                counts.values[index] -= count
                if counts.values[index] <= 0 { counts.remove(at: index) }
            }
        }
    }
}
