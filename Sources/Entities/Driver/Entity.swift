import Foundation
import Locking
import Synchronization

/// The objects that the entities of a process share.
package final class Environment: Sendable {
    package let store: any EntityStore
    package let kinds: EntityKinds
    package let effects: EffectRunner
    package let executor: Executor
    package let timer: any Timing
    package let limits: EntityCore.Limits
    /// How long a slow action may run.
    package let actionTimeout: Duration
    /// Whether the calling thread is an event loop, on which quick actions run.
    let isOnEventLoop: @Sendable () -> Bool

    package init(
        store: any EntityStore, kinds: EntityKinds, effects: EffectRunner = EffectRunner(), executor: Executor,
        timer: any Timing,
        limits: EntityCore.Limits = .init(), actionTimeout: Duration = .seconds(10),
        isOnEventLoop: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.store, self.kinds, self.effects) = (store, kinds, effects)
        (self.executor, self.timer, self.limits, self.actionTimeout) = (executor, timer, limits, actionTimeout)
        self.isOnEventLoop = isOnEventLoop
    }
}

/// The driver of an entity: feeds its core under a lock, unlocks, and carries out the orders.
///
/// The thread that brings an event carries out the orders, in their order, one thread at a time. So commits reach the store in
/// order, observers are notified in order of seq, and the answers to an action follow its notifications.
package final class Entity: WaitSource {
    private struct State: Sendable {
        var core: EntityCore
        /// Orders that no thread has taken.
        var outbox: [Order] = []
        var center: NotificationCenter?
        /// Whether an observer may want each output.
        var tellsOutputs = false
        var waits: Waits?

        /// Appends orders; usually the outbox is empty, and then they need no copy.
        mutating func add(_ orders: [Order]) { if outbox.isEmpty { outbox = orders } else { outbox += orders } }

        /// Takes out the orders.
        mutating func take(_ events: Int) -> Work {
            defer { outbox = [] }
            return Work(orders: outbox, center: center, tellsOutputs: tellsOutputs, events: events)
        }
    }

    /// Orders, and the center for their publications.
    ///
    /// An observer that comes later sees the published state.
    private struct Work: Sendable {
        let orders: [Order]
        let center: NotificationCenter?
        let tellsOutputs: Bool
        /// The number of events with orders when these were taken.
        let events: Int
    }

    /// Posted after each commit.
    package static let didChange = Notification.Name("Entity.didChange")
    /// After this many orders a thread hands over the rest, because it may be an event loop.
    static let ordersAtOnce = 256

    package let id: EntityID
    let environment: Environment
    let kind: EntityKind
    private let state: Lock<State>
    /// The number of events with orders since a thread began to carry them out; 0 while no thread does.
    ///
    /// It grows under the lock. The thread stops after the orders of all these events.
    private let events = Atomic(0)

    /// Makes the driver of a loaded or new entity.
    package init(_ id: EntityID, state: EntityState, environment: Environment) {
        (self.id, self.environment, kind) = (id, environment, environment.kinds[id])
        let core = EntityCore(
            id, state: state, isShared: environment.store.isShared,
            existsByName: environment.kinds.existsByName(id), limits: environment.limits)
        self.state = Lock(State(core: core))
    }

    /// Gives an ask to the core; the answer may come before this returns.
    package func ask(_ ask: Ask) { handle(.ask(ask)) }

    /// Asks for the committed state, on a shared store after a look at the head.
    package func view(_ answer: @escaping @Sendable (Outcome) -> Void) {
        let current = state.withLock { $0.core.isCurrent ? $0.core.committed : nil }
        if let current { answer(.done(current)) } else { ask(Ask(.view, answer: answer)) }
    }

    /// The state that clients see now, and whether the entity has ended.
    package var published: (state: EntityState, isEnded: Bool) {
        state.withLock { ($0.core.committed, $0.core.isEnded) }
    }

    /// The entity's NotificationCenter, for observers in this process.
    ///
    /// After each commit it posts each changed output (`counter.text`), then the posts of actions, then ``didChange``. The
    /// `userInfo` of an output has `value`, its JSON as `[UInt8]`, and `seq`. Keep the entity while you observe.
    package var center: NotificationCenter { center(tellsOutputs: true) }

    private func center(tellsOutputs: Bool) -> NotificationCenter {
        state.withLock { state in
            if tellsOutputs { state.tellsOutputs = true }
            let center = state.center ?? NotificationCenter()
            state.center = center
            return center
        }
    }

    /// Waits for a change after a position (``Waits/wait(_:since:for:answer:)``), and stays in memory meanwhile.
    @discardableResult
    package func wait(
        _ question: FeedQuestion, since position: FeedPosition, for time: Duration,
        answer: @escaping @Sendable (Waits.Answer) -> Void
    ) -> Waits.ID {
        waits.wait(question, since: position, for: time) { [self] result in
            withExtendedLifetime(self) { answer(result) }
        }
    }

    /// Removes a wait after its client has left.
    package func cancelWait(_ id: Waits.ID) { waits.cancel(id) }

    /// The number of waits.
    package var waitCount: Int { state.withLock { $0.waits }?.count ?? 0 }

    private var waits: Waits {
        state.withLock { state in
            if let waits = state.waits { return waits }
            let waits = Waits(self, timer: environment.timer)
            state.waits = waits
            return waits
        }
    }

    /// Observes ``didChange``, for the waits.
    package func observe(_ told: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let center = center(tellsOutputs: false)
        // Safe: the observer is used only for its removal, which takes the center's own lock.
        nonisolated(unsafe) let observer = center.addObserver(forName: Self.didChange, object: nil, queue: nil) { _ in
            told()
        }
        return { center.removeObserver(observer) }
    }

    /// Answers all waits when the server drains.
    package func dismissWaits() { state.withLock { $0.waits }?.dismiss() }

    func handle(_ event: Event) {
        let work = state.withLock { state -> Work? in
            let orders = state.core.handle(event)
            guard !orders.isEmpty else { return nil }
            state.add(orders)
            return events.add(1, ordering: .relaxed).oldValue == 0 ? state.take(1) : nil
        }
        if let work { drain(work) }
    }

    /// Carries out orders until none is left, or hands the rest over.
    private func drain(_ first: Work) {
        var next: Work? = first
        var count = 0
        while let work = next {
            var results: [Event] = []
            for order in work.orders { carryOut(order, of: work).map { results.append($0) } }
            count += work.orders.count
            if results.isEmpty,
                events.compareExchange(expected: work.events, desired: 0, ordering: .acquiringAndReleasing).exchanged
            {
                return
            }
            next = state.withLock { state in
                for result in results { state.add(state.core.handle(result)) }
                if state.outbox.isEmpty { events.store(0, ordering: .releasing) }
                return state.outbox.isEmpty ? nil : state.take(events.load(ordering: .relaxed))
            }
            if count > Self.ordersAtOnce, let work = next {
                Task.detached { [self] in drain(work) }
                return
            }
        }
    }

    /// Carries out an order; returns the result of an action that runs at once.
    private func carryOut(_ order: Order, of work: Work) -> Event? {
        let store = environment.store
        switch order {
        case .run(let number, let ask, let state): return run(number, ask, on: state)
        case .submit(let number, let commit): store.submit(commit) { [self] in handle(.committed(number, $0)) }
        case .load(let number):
            store.load(id) { [self] in handle(.loaded(number, $0.map { EntityState($0, of: kind) })) }
        case .checkHead(let number): store.head(of: id) { [self] in handle(.head(number, $0)) }
        case .lookUp(let number, let key): store.lookUp(key, in: id) { [self] in handle(.lookedUp(number, $0)) }
        case .perform(let effect): perform(effect)
        case .publish(let publication): post(publication, of: work)
        case .answer(let ask, let outcome): ask.answer(outcome)
        }
        return nil
    }

    private func run(_ number: UInt64, _ ask: Ask, on state: EntityState) -> Event? {
        let host = kind.host
        switch ask.kind {
        case .language(let initial):
            let isNew = initial.language != state.language
            return .ran(number, .success(isNew ? state.changes(to: initial) : Changes()))
        case .effect: return .ran(number, .success(Changes()))
        case .action(let call) where !call.isSlow && environment.isOnEventLoop():
            return .ran(number, timed(Result { () throws(ActionError) in try host.run(call, on: state) }, on: state))
        case .action(let call):
            // A slow action; or a quick one on another thread than an event loop, such as one of the store.
            let isTaken = environment.executor.run(for: environment.actionTimeout, environment.timer) {
                do throws(ActionError) {
                    return .success(
                        call.isSlow ? try await host.runAsync(call, on: state) : try host.run(call, on: state))
                } catch { return .failure(error) }
            } then: { [self] (result: Result<Changes, ActionError>?) in
                handle(.ran(number, result.map { timed($0, on: state) } ?? .failure(.timedOut)))
            }
            return isTaken ? nil : .ran(number, .failure(.busy))
        case .view, .end: preconditionFailure("The core runs only actions.")
        }
    }

    /// Sets the times of effects that an action has started.
    ///
    /// This process also takes the work that may run at once.
    private func timed(_ result: Result<Changes, ActionError>, on state: EntityState) -> Result<Changes, ActionError> {
        guard case .success(let changes) = result, !changes.effects.isEmpty else { return result }
        return .success(
            changes.timed(at: environment.store.now, after: state.effects) {
                environment.effects.isHeld ? nil : terms(of: $0)
            })
    }

    private func post(_ publication: Publication, of work: Work) {
        guard let center = work.center else { return }
        if work.tellsOutputs, !publication.isEnd { postOutputs(publication, on: center) }
        for post in publication.posts {
            center.post(name: Notification.Name(post.name), object: nil, userInfo: post.userInfo)
        }
        center.post(name: Self.didChange, object: nil)
    }

    private func postOutputs(_ publication: Publication, on center: NotificationCenter) {
        let state = publication.state
        for (index, declaration) in state.initial.declarations.enumerated() {
            let part = state[index]
            for (place, seq) in part.seqs.enumerated() where publication.since.map({ seq > $0 }) ?? true {
                center.post(
                    name: Notification.Name("\(declaration.name).\(declaration.outputs[place])"), object: nil,
                    userInfo: ["value": part.part.outputs[place], "seq": seq])
            }
        }
    }
}
