import Dispatch
import Foundation
import Locking

/// Where actions, changes from inside and makings of view models run, which may block.
package protocol ThreadSupply: Sendable {
    /// Runs work at once on a thread that nobody else needs.
    ///
    /// - Returns: false where there is none; the work will not be done.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool

    /// The same for a change from inside: of other threads than actions have.
    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool

    /// The same for the making of view models, of other threads again; where none is free it waits in line.
    ///
    /// - Returns: false where the line is full; the work will not be done.
    func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool

    /// Does what follows an action that is over, on the action's thread.
    func afterwards(_ follow: () -> Void)

    /// Runs a job of the task of an `async` action, as soon as there is a thread; nil where that is left to Swift's pool.
    var runJob: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { get }
}

extension ThreadSupply {
    /// In Swift's pool.
    package func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool {
        Task { work() }
        return true
    }

    /// Where no thread is counted, there is nothing else to do.
    package func afterwards(_ follow: () -> Void) { follow() }

    /// Left to Swift's pool.
    package var runJob: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { nil }
}

/// Threads for what may block, in three crews: for actions, for changes from inside, and for making view models.
///
/// An action or a change has a thread at once, or is refused; a making waits in line. The task of an `async` action begins on an
/// action's thread, too, and goes on wherever one of these is free, for which it may wait: one that blocks, against the rules of
/// Swift's concurrency, holds up neither the timer nor the reading of other sessions, which are in Swift's pool.
///
/// Not a dispatch queue: on Linux the concurrent ones share their threads, as many as there are cores, with Swift's
/// cooperative pool, and another is added after a second or so in which all of them were blocked. Threads are made as they
/// are needed; a few that have nothing to do are kept.
final class ActionThreads: ThreadSupply {
    private let crew: Crew
    // Their own: nobody asks for changes from inside, and nobody's action is to be refused because of them.
    private let changeCrew: Crew
    // Their own, too: an initializer that hangs holds neither actions nor changes of others.
    private let makingCrew: Crew
    /// How many makings may wait for a thread: as many sessions as may come to memory at once.
    private static let makingsInLine = 10_000

    /// - Parameter limit: how many threads there may be for actions; and half as many for changes, and for making view models.
    init(atMost limit: Int) {
        crew = Crew("bindery-action", limit: limit)
        changeCrew = Crew("bindery-change", limit: max(1, limit / 2))
        makingCrew = Crew("bindery-making", limit: max(1, limit / 2))
    }

    deinit {
        crew.close()
        changeCrew.close()
        makingCrew.close()
    }

    var runJob: (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
        // A job is never lost.
        { [crew] in _ = crew.runLater($0, behindAtMost: .max) }
    }

    /// Runs work on a thread that has nothing else to do.
    ///
    /// - Returns: false where there is none and no further one may or can be made; the work will not be done.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool { crew.run(work) }

    /// The same on one of the threads that are there for changes from inside.
    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool { changeCrew.run(work) }

    /// On one of the threads that are there for making view models, as soon as one is free.
    func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool {
        makingCrew.runLater(work, behindAtMost: Self.makingsInLine)
    }

    /// Does what follows an action that is over, while its thread counts as free.
    ///
    /// Work that is asked for meanwhile is done by the same thread afterwards: a session never needs two. Where no other thread
    /// is left, that of others, too, so that what follows is to be over soon.
    func afterwards(_ follow: () -> Void) { crew.afterwards(follow) }
}

/// What outlives its owner for as long as a thread works.
private final class Crew: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        /// Work for threads that were woken for it.
        var given: [Work] = []
        /// Work that one of those is to do that have nothing of their own to do next.
        var promised: [Work] = []
        /// Work that no thread was free for.
        var left: [Work] = []
        var threads = 0
        /// Threads that nobody has work for yet.
        var spare = 0
        /// Threads whose action is over, and who do what follows it, until they have other work or none.
        var free: Set<pthread_t> = []
        /// Those that come for work by themselves.
        var members: Set<pthread_t> = []
        /// What they are to do next.
        var next: [pthread_t: [Work]] = [:]
        var isClosed = false

        /// How many threads have nothing of their own to do after what follows their action.
        var idle: Int { free.count { !hasNext($0) } }

        func hasNext(_ thread: pthread_t) -> Bool { !(next[thread]?.isEmpty ?? true) }

        mutating func takeNext(of thread: pthread_t) -> Work? {
            guard let work = next[thread], !work.isEmpty else {
                next[thread] = nil
                return nil
            }
            return next[thread]?.removeFirst()
        }
    }

    private enum Taken { case given, needsThread, byCaller, promised, left, nobody }

    /// What a thread begins with.
    private final class First: Sendable {
        let crew: Crew
        let work: Work

        init(_ crew: Crew, _ work: @escaping Work) {
            self.crew = crew
            self.work = work
        }
    }

    private static let mostSpare = 8

    /// What its threads are called, at most 15 characters (prctl(2), "PR_SET_NAME").
    let name: String
    private let limit: Int
    private let state = Lock(State())
    private let bell = DispatchSemaphore(value: 0)

    init(_ name: String, limit: Int) { (self.name, self.limit) = (name, limit) }

    func run(_ work: @escaping Work) -> Bool {
        switch take(work, behindAtMost: 0) {
        case .given: bell.signal()
        case .byCaller, .promised, .left: break
        case .needsThread:
            guard startThread(with: work) else {
                state.withLock { $0.threads -= 1 }
                return false
            }
        case .nobody: return false
        }
        return true
    }

    /// The same as soon as a thread is free, unless too much waits for one.
    func runLater(_ work: @escaping Work, behindAtMost limit: Int) -> Bool {
        switch take(work, behindAtMost: limit) {
        case .given: bell.signal()
        case .byCaller, .promised, .left: break
        case .needsThread: if !startThread(with: work) { leave(work) }
        case .nobody: return false
        }
        return true
    }

    /// Gives work to a thread, or says who else is to do it; in one step, so that no thread goes to sleep meanwhile.
    private func take(_ work: @escaping Work, behindAtMost waiting: Int) -> Taken {
        let caller = pthread_self()
        return state.withLock { state in
            if state.free.contains(caller), state.promised.count < state.idle || state.hasNext(caller) {
                state.next[caller, default: []].append(work)
                return .byCaller
            }
            if state.spare > 0 {
                state.spare -= 1
                state.given.append(work)
                return .given
            }
            if state.threads < limit {
                state.threads += 1
                return .needsThread
            }
            // A thread whose action is over is free in a moment.
            if state.promised.count < state.idle {
                state.promised.append(work)
                return .promised
            }
            guard state.left.count < waiting else { return .nobody }
            state.left.append(work)
            return .left
        }
    }

    /// After a thread could not be made: leaves work to those there are, or to Dispatch where there are none.
    private func leave(_ work: @escaping Work) {
        let (isGiven, orphans) = state.withLock { state in
            state.threads -= 1
            if state.spare > 0 {
                state.spare -= 1
                state.given.append(work)
                return (true, [Work]())
            }
            state.left.append(work)
            guard state.threads == 0 else { return (false, []) }
            defer { state.left = [] }
            return (false, state.left)
        }
        if isGiven { bell.signal() }
        for work in orphans { DispatchQueue.global().async(execute: work) }
    }

    func afterwards(_ follow: () -> Void) {
        let caller = pthread_self()
        // Else what was done next is over, and its caller goes on: one after the other, not one within the other.
        let isOuter = state.withLock { state in
            state.free.insert(caller)
            if state.next[caller] != nil { return false }
            state.next[caller] = []
            return true
        }
        follow()
        // A thread of the crew stays free until it has come for work: somebody else may ask for one in between.
        state.withLock { if !$0.members.contains(caller) { $0.free.remove(caller) } }
        guard isOuter else { return }
        while let work = state.withLock({ state in
            let work = state.takeNext(of: caller)
            if work != nil { state.free.remove(caller) }
            return work
        }) { work() }
    }

    /// Ends the threads as they come to have nothing to do.
    func close() {
        let spare = state.withLock { state in
            state.isClosed = true
            state.threads -= state.spare
            defer { state.spare = 0 }
            return state.spare
        }
        for _ in 0..<spare { bell.signal() }
    }

    /// Not a Foundation `Thread`, which does not say that it could not be made.
    private func startThread(with work: @escaping Work) -> Bool {
        var thread = pthread_t()
        let first = Unmanaged.passRetained(First(self, work))
        let error = pthread_create(
            &thread, nil,
            { first in
                guard let first else { return nil }
                // The other end of the retain below.
                Crew.begin(Unmanaged<First>.fromOpaque(first).takeRetainedValue())
                return nil
            }, first.toOpaque())
        guard error == 0 else {
            first.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private static func begin(_ first: consuming First) {
        let crew = first.crew
        Thread.current.name = crew.name
        crew.state.withLock { _ = $0.members.insert(pthread_self()) }
        var work: Work? = first.work
        _ = consume first
        while work != nil {
            // Let go of before the thread sleeps.
            work.take()?()
            work = crew.next()
        }
    }

    /// What the thread is to do next, for which it may sleep; nil where it is to end.
    private func next() -> Work? {
        let caller = pthread_self()
        let (work, sleeps): (Work?, Bool) = state.withLock { state in
            state.free.remove(caller)
            // What it was given when it had done what follows its action, and had not come here yet.
            if let own = state.takeNext(of: caller) { return (own, false) }
            if !state.promised.isEmpty { return (state.promised.removeFirst(), false) }
            if !state.left.isEmpty { return (state.left.removeFirst(), false) }
            let isKept = !state.isClosed && state.spare < Self.mostSpare
            if isKept {
                state.spare += 1
            } else {
                state.threads -= 1
                state.members.remove(caller)
            }
            return (nil, isKept)
        }
        guard sleeps else { return work }
        bell.wait()
        return state.withLock { state in
            if !state.given.isEmpty { return state.given.removeFirst() }
            state.members.remove(caller)
            return nil
        }
    }
}
