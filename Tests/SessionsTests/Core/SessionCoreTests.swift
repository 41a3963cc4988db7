import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// Drives a core by hand: orders are looked at, and what comes of them is made up.
@Suite("A session's core")
struct SessionCoreTests {
    private static let untouched = Untouched(.testing(), in: .english)
    private var core = Self.core(isShared: false)

    private static func core(isShared: Bool) -> SessionCore {
        SessionCore(
            id: SessionToken.random().sessionID,
            record: SessionRecord(
                head: .beginning(in: 1), language: .english, initialDigests: untouched.initialDigests),
            limits: SessionLimits(), untouched: untouched, isShared: isShared, incarnation: 1,
            time: TimeOfDay(secondsSince1970: 1000), at: .zero)
    }

    private let stage = LiveViewModels(
        of: .public, named: CrashNames(of: .public),
        environment: SessionEnvironment(
            catalogue: .testing(), store: MemoryStore(), limits: SessionLimits(), timeline: ManualTimeline(),
            threads: NoThreads()))

    /// Asks for `counter/increment`, and carries out what the live view models is ordered.
    @discardableResult
    private mutating func increment() -> ActionCall {
        let action = ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }
        core.ask(action, at: .zero)
        work()
        return action
    }

    /// Carries out what is ordered of the live view models; leaves the other orders.
    private mutating func work() {
        while let index = core.orders.firstIndex(where: \.runsViewModels) {
            switch core.orders.remove(at: index) {
            case .run(let action, let feed, let head):
                let result = Result {
                    let viewModel = try stage.viewModel(at: action.id.viewModel, on: feed)
                    _ = try viewModel.performNow(action.id.action, body: action.body)
                }
                core.acted(stage.gather(actedOn: action.id.viewModel, after: result, on: feed, to: head))
            case .read(let record, let known, let isBehind):
                core.read(stage.read(record, after: known, isBehind: isBehind))
            case .clear: stage.clear()
            case .revive(let feed): stage.revive(from: feed)
            default: Issue.record("not expected here")
            }
        }
    }

    /// The steps that were handed to the store, and the answers, since the last time.
    private mutating func orders() -> (steps: [UInt64], answers: [String]) {
        defer { core.orders = [] }
        var (steps, answers): ([UInt64], [String]) = ([], [])
        for order in core.orders {
            switch order {
            case .submit(_, let number): steps.append(number)
            case .answer(_, .success(.done(let view))): answers.append(String(utf8: view.json))
            case .answer(_, .failure(SessionFailure.unavailable(let why))): answers.append("unavailable: \(why)")
            case .answer(_, .failure(let error)): answers.append("\(error)")
            case .load: answers.append("load")
            case .tryAgain: answers.append("tryAgain")
            case .lookUp: answers.append("lookUp")
            default: break
            }
        }
        return (steps, answers)
    }

    @Test("shows and answers steps in their order, also where the store says so in another")
    mutating func completions() {
        for _ in 1...3 { increment() }
        #expect(orders().steps == [1, 2, 3])
        core.commitDone(2, nil)
        #expect(core.feed.head.seq == 2)
        #expect(orders().answers.map { $0.prefix(11) } == [#"{"text":"1""#, #"{"text":"2""#])
        core.commitDone(1, nil)
        #expect(core.feed.head.seq == 2)
        core.commitDone(3, nil)
        #expect(core.feed.head.seq == 3)
        #expect(orders().answers.count == 1)
    }

    private struct Trouble: Error {}

    /// Asks for an action, and says that it has failed.
    private mutating func fail() {
        core.ask(ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }, at: .zero)
        core.orders.removeAll { if case .run = $0 { true } else { false } }
        core.acted(.failed(Trouble()))
        core.orders.removeAll { if case .revive = $0 { true } else { false } }
    }

    @Test("says that an action failed once the state is stored on which it did")
    mutating func failedAhead() {
        increment()
        fail()
        #expect(orders().answers == [])
        core.commitDone(1, nil)
        let answers = orders().answers
        #expect(answers.count == 2 && answers.last == "Trouble()")
        fail()
        #expect(orders().answers == ["Trouble()"])
    }

    @Test("runs an action again that failed on a state that was not stored")
    mutating func failedOnNothing() {
        increment()
        fail()
        #expect(orders().answers == [])
        core.commitDone(1, .conflict(.first()))
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        work()
        #expect(!orders().answers.contains("Trouble()"))
    }

    @Test("runs an action again that failed while the state that it ran on turned out not to be stored")
    mutating func failedMeanwhile() {
        increment()
        core.ask(ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }, at: .zero)
        core.orders.removeAll { if case .run = $0 { true } else { false } }
        core.commitDone(1, .conflict(.first()))
        core.acted(.failed(Trouble()))
        core.orders.removeAll { if case .revive = $0 { true } else { false } }
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        work()
        #expect(!orders().answers.contains("Trouble()"))
    }

    @Test("reads the session before anything else where a step was not stored, and runs again what stood on it")
    mutating func conflict() {
        increment()
        increment()
        _ = orders()
        core.commitDone(1, .conflict(.first()))
        #expect(orders().answers == [])
        core.commitDone(2, .conflict(.first()))
        #expect(orders().answers == ["load"])
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        work()
        let (steps, answers) = orders()
        #expect(steps == [3, 4])
        #expect(answers == [])
        core.commitDone(4, nil)
        #expect(orders().answers.map { $0.prefix(11) } == [#"{"text":"1""#, #"{"text":"2""#])
    }

    @Test("takes a step as stored that another stands on which is")
    mutating func predecessor() {
        increment()
        increment()
        _ = orders()
        core.commitDone(2, nil)
        #expect(orders().answers.count == 2)
        core.commitDone(1, .unknown)
        #expect(!core.isBehind)
    }

    @Test("runs an action no more whose caller hung up in the line, and one that has begun all the same")
    mutating func hangUp() {
        core.ask(.reload(Asker()))
        #expect(orders().answers == ["load"])
        let first = ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }
        core.ask(first, at: .zero)
        core.hungUp(first)
        #expect(orders().answers == ["CancellationError()"])
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        work()
        #expect(orders().steps == [])
        let second = increment()
        core.hungUp(second)
        #expect(orders().steps == [1])
        core.commitDone(1, nil)
        #expect(orders().answers.count == 1)
    }

    @Test("leaves memory only where nobody has the turn and nothing is on its way")
    mutating func evict() {
        increment()
        let isGoneWhileStoring = core.evict(ifIdleFor: .seconds(1), at: .seconds(100))
        core.commitDone(1, nil)
        core.ask(.reload(Asker()))
        let isGoneWhileReading = core.evict(ifIdleFor: .seconds(1), at: .seconds(100))
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        let isGoneWhenIdle = core.evict(ifIdleFor: .seconds(1), at: .seconds(100))
        #expect((isGoneWhileStoring, isGoneWhileReading, isGoneWhenIdle) == (false, false, true))
        increment()
        #expect(orders().answers.last == "evicted")
    }

    @Test("refuses an action where as many wait for a slow store as may wait")
    mutating func bound() {
        for _ in 1...core.limits.waitingActions { increment() }
        #expect(orders().answers == [])
        increment()
        #expect(orders().answers == ["lineFull"])
        core.commitDone(1, nil)
        _ = orders()
        increment()
        #expect(orders().answers == [])
    }

    @Test("answers all who would have a store asked again that does not answer, and asks it anew for who came since")
    mutating func storeAway() {
        core = Self.core(isShared: true)
        increment()
        increment()
        #expect(orders().answers == ["load"])
        // Came after the store was asked for the first, so before it could be asked for this one.
        core.loaded(.failure(.notSent))
        #expect(orders().answers == ["unavailable: notRead", "load"])
        for _ in 1...3 { increment() }
        core.loaded(.failure(.notSent))
        #expect(orders().answers == ["unavailable: notRead", "load"])
        core.loaded(.failure(.notSent))
        #expect(orders().answers == [String](repeating: "unavailable: notRead", count: 3))
        #expect(core.line.isEmpty)
    }

    /// Asks for an action under a key, where the session has one already.
    private mutating func askUnderKey() -> IdempotentRequest {
        core.keys = 1
        let request = IdempotentRequest(key: "a", in: core.id, token: nil, path: "/", body: []) { _ in
            IdempotentRequest.Answer(status: 500, entityTag: "", contentType: "", body: [])
        }
        core.ask(ActionCall(ActionID(0, of: 0), body: [], once: request) { _ in true }, at: .zero)
        return request
    }

    /// The store knows what came of it: another replica did it, and moved the session on.
    private mutating func wasDoneElsewhere(_ request: IdempotentRequest) {
        let cursor = Cursor(epoch: core.feed.cursor.epoch, seq: 7)
        core.lookedUp(
            .success(
                RememberedOutcome(
                    key: request.key, fingerprint: request.fingerprint, status: 200, entityTag: cursor.entityTag,
                    contentType: "", body: [], end: TimeOfDay(secondsSince1970: 2000))))
    }

    @Test("is read for a poll that waits where an answer under a key tells of what another replica made")
    mutating func pollBehindReplay() {
        let query = FeedQuery(since: core.feed.cursor)
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        _ = core.enter(poll, for: query, isOver: false, isDraining: false)
        let request = askUnderKey()
        wasDoneElsewhere(request)
        #expect(orders().answers.last == "load")
    }

    @Test("is read for a poll that waits also where a change from inside comes next, which waits for the lease instead")
    mutating func pollBehindReplayAndChange() {
        core = Self.core(isShared: true)
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        _ = core.enter(poll, for: FeedQuery(since: core.feed.cursor), isOver: false, isDraining: false)
        let request = askUnderKey()
        core.loaded(.success(.asKnown))
        #expect(orders().answers.last == "lookUp")
        core.ask(.change(InnerChange(of: ObjectIdentifier(stage), instance: LiveViewModels.InstanceID()) {}))
        wasDoneElsewhere(request)
        #expect(orders().answers.last == "load")
    }

    @Test("is read for a poll that waits where a step failed while an action had the turn that was not begun")
    mutating func pollBehindBusy() {
        let query = FeedQuery(since: core.feed.cursor)
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        _ = core.enter(poll, for: query, isOver: false, isDraining: false)
        increment()
        core.ask(ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }, at: .zero)
        core.commitDone(1, .unknown)
        _ = orders()
        core.acted(.notBegun(SessionFailure.busy))
        #expect(orders().answers.last == "load")
    }

    @Test("tries again in a while, once at a time, where there was no thread to make what a poll waits for")
    mutating func pollBehindMaking() {
        let query = FeedQuery(since: core.feed.cursor)
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        _ = core.enter(poll, for: query, isOver: false, isDraining: false)
        increment()
        core.commitDone(1, .unknown)
        for _ in 1...2 {
            #expect(orders().answers.last == "load")
            core.loaded(.success(.moved(SessionRecord(head: core.feed.head.remembering(), language: .english))))
            core.notMade(hangs: false)
            #expect(orders().answers.last == "tryAgain")
            // Whoever asks meanwhile is told the same, and is tried for once.
            core.ask(.show(Asker()))
            core.loaded(.success(.moved(SessionRecord(head: core.feed.head.remembering(), language: .english))))
            core.notMade(hangs: false)
            #expect(!orders().answers.contains("tryAgain"))
            core.tryAgain()
        }
        #expect(orders().answers.last == "load")
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head.remembering(), language: .english))))
        // One that hangs is told of when it returns.
        core.notMade(hangs: true)
        #expect(!orders().answers.contains("tryAgain"))
    }

    @Test("shows what nobody has touched by an epoch that is stored, though a step is under way that begins another")
    mutating func untouchedBesideStep() {
        for incarnation in 2...UInt64(SessionHistory.kept) {
            core.incarnation = incarnation
            increment()
            core.commitDone(core.lastPending, nil)
        }
        let first = core.feed.head.history.cursor(at: 0)
        core.incarnation += 1
        increment()
        core.ask(.show(Asker()))
        work()
        #expect(core.feed.view(at: 1)?.entityTag == first.entityTag)
        #expect(core.latest.head.history.cursor(at: 0) != first)
    }

    @Test("derives all of what was put back beside it, and of what came after what it showed only what is missing")
    mutating func putBack() {
        core = Self.core(isShared: true)
        var next = core.feed
        next.advance(to: core.feed.head.advanced(in: 1), knowing: InitialDigests(digests: [1]))
        let other = ChangeFeed(untouched: Self.untouched, head: .beginning(in: 1))
        for (feed, part) in [(next, SessionCore.Underived.whatIsMissing), (other, .everything)] {
            core.underived = .nothing
            core.turn = .running(Ask(.reload(Asker()), arrival: 1))
            core.read(feed)
            #expect(core.underived == part)
        }
    }

    @Test("is read, and no more, for a poll that waits where what was derived could not be stored")
    mutating func pollBehindDerivation() {
        core.underived = .everything
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        _ = core.enter(poll, for: FeedQuery(since: core.feed.cursor), isOver: false, isDraining: false)
        core.orders = []
        core.derived(Derived(changes: ChangedViews(views: [], head: core.nextHead)))
        #expect(orders().steps == [1])
        core.commitDone(1, .notSent)
        #expect(orders().answers.last == "load")
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        let isDerivedAgain = core.orders.contains { if case .derive = $0 { true } else { false } }
        #expect(!isDerivedAgain)
    }

    @Test("looks for a key again where the store was put back while its action ran, and does not run it again")
    mutating func putBackUnderKey() {
        let request = IdempotentRequest(key: "a", in: core.id, token: nil, path: "/", body: []) { _ in
            IdempotentRequest.Answer(status: 200, entityTag: "", contentType: "", body: [])
        }
        for isPutBack in [false, true] {
            core.ask(ActionCall(ActionID(0, of: 0), body: [], once: request) { _ in true }, at: .zero)
            #expect(orders().answers == ["lookUp"])
            core.lookedUp(.success(nil))
            if isPutBack { core.incarnation += 1 }
            work()
            let (steps, answers) = orders()
            #expect(steps.isEmpty == isPutBack)
            if isPutBack {
                #expect(answers.last == "lookUp")
                core.lookedUp(.success(nil))
                #expect(core.latest.head.history.incarnation == core.incarnation)
                #expect(orders().steps == [2])
            } else {
                core.commitDone(core.lastPending, nil)
                _ = orders()
            }
        }
    }

    @Test(
        "commits in the epoch of the store as it is when the action is over, also where it was put back meanwhile",
        arguments: [1, 2])
    mutating func putBackMeanwhile(times: UInt64) {
        let before = core.feed.head.history
        if times == 2 { core.incarnation += 1 }
        let action = ActionCall(ActionID(0, of: 0), body: [], once: nil) { _ in true }
        core.ask(action, at: .zero)
        core.incarnation += 1
        work()
        let head = core.latest.head
        #expect(head.history.incarnation == core.incarnation)
        #expect(head.history.chapters.map(\.first) == [0, 1])
        #expect(head.history.epoch != before.epoch)
        core.commitDone(1, nil)
        let tag = core.orders.compactMap { order -> String? in
            guard case .answer(_, .success(.done(let view))) = order else { return nil }
            return view.entityTag
        }
        #expect(tag == [head.cursor.entityTag])
    }

    @Test("looks for no key again of what is not kept under it, and is not behind where nothing had changed")
    mutating func putBackUnderKeyOfRefusal() {
        let request = IdempotentRequest(key: "a", in: core.id, token: nil, path: "/", body: []) { _ in
            IdempotentRequest.Answer(status: 200, entityTag: "", contentType: "", body: [])
        }
        // In the server's words, and thrown by an action all the same.
        let alike = ActionRefusal.custom(type: "malformed-json", status: 400, title: "The body is not JSON", "x")
        for (refusal, isKept) in [
            (ActionRefusal(.malformedInput, "x"), false), (.disabled("x"), true), (.notFound("x"), true), (alike, true),
        ] {
            core.ask(ActionCall(ActionID(0, of: 0), body: [], once: request) { _ in true }, at: .zero)
            core.lookedUp(.success(nil))
            _ = orders()
            core.incarnation += 1
            core.acted(.failed(refusal))
            let isLookedUp = orders().answers.last == "lookUp"
            #expect(isLookedUp == isKept)
            if isLookedUp { core.lookedUp(.failure(.notSent)) }
            #expect(!core.isBehind)
        }
    }

    @Test("counts keys once for an action that finds no room, however long the store takes for it")
    mutating func fullRoom() {
        let request = IdempotentRequest(key: "a", in: core.id, token: nil, path: "/", body: []) { _ in
            IdempotentRequest.Answer(status: 200, entityTag: "", contentType: "", body: [])
        }
        var record = SessionRecord(head: core.feed.head, language: .english)
        (core.keys, record.keys) = (core.limits.keysPerSession, core.limits.keysPerSession)
        core.ask(ActionCall(ActionID(0, of: 0), body: [], once: request) { _ in true }, at: .zero)
        core.lookedUp(.success(nil))
        #expect(orders().answers == ["lookUp", "load"])
        core.time = core.time.advanced(by: .seconds(5))
        core.loaded(.success(.moved(record)))
        core.lookedUp(.success(nil))
        #expect(orders().answers == ["lookUp", "\(SessionFailure.tooManyKeys(retryAfter: 60))"])
    }

    @Test("knows of an end by the incarnation of the store in which that was read, or stored")
    mutating func endOfEarlier() {
        core.ask(.reload(Asker()))
        core.incarnation = 2
        core.loaded(.success(.moved(SessionRecord(head: core.feed.head, language: .english))))
        #expect(core.storedIn == 1)
        increment()
        core.incarnation = 3
        core.commitDone(1, nil)
        #expect(core.storedIn == 2)
    }

    @Test("names what an action left as it was by an epoch that is stored with it")
    mutating func unchangedBesideNewEpoch() {
        for incarnation in 2...UInt64(SessionHistory.kept) {
            core.incarnation = incarnation
            increment()
            core.commitDone(core.lastPending, nil)
        }
        core.incarnation += 1
        core.orders = []
        core.ask(ActionCall(ActionID(0, of: 1), body: [], once: nil) { _ in true }, at: .zero)
        guard case .run(_, let feed, let head)? = core.orders.last, let view = feed.view(at: 0) else {
            Issue.record("nothing is run")
            return
        }
        core.orders = []
        let changed = View(feed.catalogue.viewModels[0], history: head.history, record: view.record.told(at: head.seq))
        core.acted(.changed(ChangedViews(views: [(0, changed)], head: head)))
        core.commitDone(core.lastPending, nil)
        let answered = core.orders.compactMap { order -> String? in
            guard case .answer(_, .success(.done(let view))) = order else { return nil }
            return view.entityTag
        }
        #expect(answered == [core.feed.view(at: 1)?.entityTag].compactMap(\.self))
    }

    @Test("is read for a poll that comes while nobody knows what was stored")
    mutating func pollBehind() {
        increment()
        core.commitDone(1, .unknown)
        _ = orders()
        let poll = Waits.Wait(number: 1, isSupersedable: true, deadline: nil) { _ in }
        let query = FeedQuery(since: core.feed.cursor)
        let (outcome, _) = core.enter(poll, for: query, isOver: false, isDraining: false)
        #expect(outcome == nil)
        #expect(orders().answers == ["load"])
    }
}

private struct NoThreads: ThreadSupply {
    func run(_ work: @escaping @Sendable () -> Void) -> Bool { false }
    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool { false }
}
