import Foundation
import Locking

/// Why a wait got no answer from the feed.
package struct FeedFailure: Error {
    /// A failure, or the reason why the entity is not available.
    package let outcome: Outcome
}

/// The entity, as its waits see it.
package protocol WaitSource: AnyObject, Sendable {
    /// The state that clients see now, and whether the entity has ended.
    var published: (state: EntityState, isEnded: Bool) { get }

    /// Asks for the committed state; newer state of a shared store is published before the answer.
    func view(_ answer: @escaping @Sendable (Outcome) -> Void)

    /// Calls back after each publication, until the caller calls the returned function.
    func observe(_ told: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The polls and streams that wait on an entity, as one observer of its NotificationCenter.
///
/// ``wait(_:since:for:answer:)`` reads the state and registers under the lock. The entity posts after it has set the state,
/// so a wait misses no commit. Equal waits share one decision and one body. A stream waits again from the position of its
/// last answer. It sends a ping for an idle answer.
package final class Waits: Sendable {
    /// The answer to a wait.
    package typealias Answer = Result<FeedAnswer, FeedFailure>

    /// Names a wait, so that it can be cancelled.
    package typealias ID = UInt64

    private struct Group: Hashable, Sendable {
        let question: FeedQuestion
        let position: FeedPosition
    }

    private struct Wait: Sendable {
        let answer: @Sendable (Answer) -> Void
        let deadline: TimerKey
    }

    private struct State: Sendable {
        var groups: [Group: [ID: Wait]] = [:]
        /// The groups of the waits.
        var places: [ID: Group] = [:]
        /// Waits that still look at the store.
        var refreshing: Set<ID> = []
        var lastID: ID = 0
        /// Removes the observer.
        var removeObserver: (@Sendable () -> Void)?

        /// Takes a wait out of its group; nil for a wait that refreshes or was answered.
        mutating func remove(_ id: ID) -> (group: Group, wait: Wait)? {
            guard let group = places.removeValue(forKey: id) else { return nil }
            let wait = groups[group]?.removeValue(forKey: id)
            if groups[group]?.isEmpty == true { groups[group] = nil }
            return wait.map { (group, $0) }
        }
    }

    private let state = Lock(State())
    // Each wait keeps its entity, and the entity keeps its waits.
    private unowned let source: any WaitSource
    private let timer: any Timing
    /// How long a client waits for its snapshot if its unknown cursor has the head's own seq.
    ///
    /// Otherwise a client between two builds with different outputs would ask without a pause.
    static let unknownDelay = Duration.seconds(1)

    /// Makes the waits of one entity.
    ///
    /// - Parameter source: outlives every wait: the answer of a wait holds it.
    package init(_ source: any WaitSource, timer: any Timing) { (self.source, self.timer) = (source, timer) }

    deinit { state.withLock { $0.removeObserver?() } }

    /// The number of waits, without those that still look at the store.
    package var count: Int { state.withLock { $0.groups.values.reduce(0) { $0 + $1.count } } }

    /// Waits for a change after a position.
    ///
    /// A cursor is compared with the latest state of the store, because it may be newer than the state of this process.
    ///
    /// - Parameters:
    ///   - time: how long to wait; after that the answer is idle. Zero does not wait.
    ///   - answer: called once, on any thread, perhaps before this returns, with no lock held; not after a cancel.
    @discardableResult
    package func wait(
        _ question: FeedQuestion, since position: FeedPosition, for time: Duration,
        answer: @escaping @Sendable (Answer) -> Void
    ) -> ID {
        let id = state.withLock { state -> ID in
            state.lastID += 1
            state.refreshing.insert(state.lastID)
            return state.lastID
        }
        if case .accepted = position {
            register(id, Group(question: question, position: position), for: time, answer)
        } else {
            source.view { [self] outcome in
                if case .unavailable(let reason) = outcome, reason != .ended {
                    guard state.withLock({ $0.refreshing.remove(id) }) != nil else { return }
                    return answer(.failure(FeedFailure(outcome: outcome)))
                }
                register(id, Group(question: question, position: position), for: time, answer)
            }
        }
        return id
    }

    /// Removes a wait after its client has left; an answered wait is no error.
    package func cancel(_ id: ID) {
        let found = state.withLock { state in
            state.refreshing.remove(id)
            return state.remove(id)
        }
        if let found { timer.cancel([found.wait.deadline]) }
    }

    /// Answers all waits when the server drains: as idle, or with a change that is not posted yet.
    package func dismiss() { answerAll { _, _, _ in true } }

    /// Reads the published state, and registers if nothing is new, in one critical section.
    private func register(
        _ id: ID, _ group: Group, for time: Duration, _ answer: @escaping @Sendable (Answer) -> Void
    ) {
        let ready = state.withLock { state -> (() -> Answer)? in
            guard state.refreshing.remove(id) != nil else { return nil }  // cancelled
            if state.removeObserver == nil { state.removeObserver = source.observe { [weak self] in self?.tell() } }
            let (entity, isEnded) = source.published
            guard time > .zero, !Self.isReady(group, entity, isEnded) else {
                return { Self.answer(group, entity, isEnded) }
            }
            var (group, time) = (group, time)
            if case .cursor(let cursor?) = group.position {
                if let seq = entity.position(of: cursor) {
                    let position = FeedPosition.accepted(cursor, seq: seq, lineage: entity.lineage)
                    group = Group(question: group.question, position: position)
                } else {
                    time = min(time, Self.unknownDelay)
                }
            }
            let deadline = timer.schedule(at: timer.now + time) { [self] in expire(id) }
            state.groups[group, default: [:]][id] = Wait(answer: answer, deadline: deadline)
            state.places[id] = group
            return nil
        }
        if let ready { answer(ready()) }
    }

    /// Answers all waits that a publication concerns.
    private func tell() { answerAll(where: Self.isReady) }

    private func answerAll(where isReady: (Group, EntityState, _ isEnded: Bool) -> Bool) {
        let (ready, entity, isEnded) = state.withLock { state in
            let (entity, isEnded) = source.published
            let ready = state.groups.filter { isReady($0.key, entity, isEnded) }
            for (group, waits) in ready {
                state.groups[group] = nil
                for id in waits.keys { state.places[id] = nil }
            }
            if ready.isEmpty, state.places.isEmpty, state.refreshing.isEmpty {
                state.removeObserver?()
                state.removeObserver = nil
            }
            return (ready, entity, isEnded)
        }
        for (group, waits) in ready {
            let shared = Self.answer(group, entity, isEnded)
            timer.cancel(waits.values.map(\.deadline))
            for wait in waits.values { wait.answer(shared) }
        }
    }

    /// Answers a wait after its time; looks at a shared store first, because a hint may be lost.
    private func expire(_ id: ID) {
        let found = state.withLock { state in
            let found = state.remove(id)
            if found != nil { state.refreshing.insert(id) }
            return found
        }
        guard let (group, wait) = found else { return }
        source.view { [self] _ in
            guard state.withLock({ $0.refreshing.remove(id) }) != nil else { return }  // cancelled
            let (entity, isEnded) = source.published
            wait.answer(Self.answer(group, entity, isEnded))
        }
    }

    private static func isReady(_ group: Group, _ entity: EntityState, _ isEnded: Bool) -> Bool {
        if isEnded { return true }
        if let seq = entity.seq(at: group.position) { return entity.hasNews(group.question, since: seq) }
        if case .cursor(let cursor?) = group.position { return cursor.seq != entity.head.seq }
        return true
    }

    private static func answer(_ group: Group, _ entity: EntityState, _ isEnded: Bool) -> Answer {
        if isEnded { return .success(entity.endedAnswer(group.question)) }
        do {
            return .success(
                try entity.answer(group.question, since: group.position) ?? entity.idleAnswer(group.question))
        } catch {
            return .failure(FeedFailure(outcome: .failed(.action(error))))
        }
    }
}
