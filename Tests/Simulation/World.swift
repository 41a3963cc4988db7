import Dispatch
import Entities
import Foundation

/// Replicas on one store, clients that call actions and wait, and a judge.
// Safe: the simulator has one thread, and waits for each thread that it starts.
final class World: @unchecked Sendable {
    var dice: Dice
    let fault: Fault?
    let id: EntityID
    let judge = Judge()
    var store: SimulatedStore
    var replicas: [Replica] = []
    var asks: [AskRecord] = []
    var clients: [FeedClient] = []
    /// Whether the world is coming to rest: nothing fails, and nothing new comes.
    var isCalm = false
    /// The time by the clock of the store and of all processes.
    var clock = Duration.zero
    private let leak: LeakyLedger?
    private var keys: [(id: Int, digest: KeyDigest, part: String, deed: Deed, isSlow: Bool)] = []
    /// Observers that a commit in a window has to tell.
    private var untold: [@Sendable () -> Void]?
    private let builds: [Int]
    var history: [String]?

    init(seed: UInt64, fault: Fault?, tells: Bool) {
        dice = Dice(seed: seed)
        self.fault = fault
        history = tells ? [] : nil
        let isShared = !dice.oneIn(4)
        id = dice.oneIn(2) ? .publicSession : .session("s")
        leak = fault == .leakedCopy ? LeakyLedger() : nil
        // Most worlds have builds that differ.
        builds = dice.oneIn(3) ? [0, 1] : Array(0..<Build.count)
        store = SimulatedStore(id: id, isShared: isShared, fault: fault)
        store.stored = { [judge] row, commit, wasPutBack in
            judge.stored(row, commit.key, wasPutBack: wasPutBack)
            judge.noteTags(of: commit.state)
        }
        if id.expires { store.create(InitialParts(host: Build(number: 0), language: "en")) }
        for index in 0..<(isShared ? 2 + dice.roll(2) : 1) { replicas.append(start(index)) }
        clients = (0..<3).map { FeedClient(number: $0) }
    }

    func log(_ line: @autoclosure () -> String) { if history != nil { history?.append(line()) } }

    // MARK: Processes

    private func start(_ index: Int) -> Replica {
        let build = Build(number: dice.pick(builds), leak: leak)
        let replica = Replica(
            index: index, build: build, id: id, loaded: ReadResult(store.table.load(id)), language: "en",
            isShared: store.isShared)
        replica.refresh = { [unowned self, unowned replica] then in
            let record = AskRecord(number: -1, since: store.heads.count - 1, replica: index)
            record.isView = true
            deliver(
                .ask(
                    Ask(.view) { [weak self] in
                        self?.answered(record, $0); then($0)
                    }), to: replica)
        }
        log("\(index) starts as build \(build.number) at \(replica.core.committed.cursor)")
        judge.published(replica.core.committed, by: build, replica.kind, stored: store.everStored, &dice)
        return replica
    }

    func kill(_ index: Int) {
        let old = replicas[index]
        log("\(index) dies")
        store.orphan(old.requests, &dice)
        for ask in asks where ask.replica == index && !ask.isAnswered { ask.isLost = true }
        for client in clients where client.replica === old { client.hangUp() }
        store.storeLate(&dice, isStart: true)
        if !store.isShared, dice.oneIn(3) { putBack() }
        if id.expires, store.head == nil { return }  // ended: nobody finds the session any more
        replicas[index] = start(index)
    }

    func putBack() {
        store.putBack(&dice)
        log("the store is put back to \(store.head?.description ?? "nothing")")
    }

    // MARK: Events and orders

    func deliver(_ first: Event, to replica: Replica) {
        var events = [first]
        while !events.isEmpty {
            let orders = replica.core.handle(events.removeFirst())
            // The last of several published states is visible when the first is told.
            for case .publish(let publication) in orders where !publication.isEnd {
                judge.published(
                    publication.state, by: replica.build, replica.kind, stored: store.everStored, &dice)
            }
            for order in orders { carryOut(order, of: replica, &events) }
        }
    }

    private func carryOut(_ order: Order, of replica: Replica, _ events: inout [Event]) {
        switch order {
        case .run(let number, let ask, let state):
            let result = run(ask, on: state, replica)
            if case .action(let call) = ask.kind, call.isSlow {
                replica.mail.append(.ran(number, result))
                if dice.oneIn(2) { replica.mail.append(.ran(number, .failure(.timedOut))) }
            } else if dice.oneIn(8), !isCalm {
                replica.mail.append(.ran(number, result))  // another thread runs it
            } else {
                events.append(.ran(number, result))
            }
        case .submit(let number, let commit): replica.requests.append(.submit(number, commit))
        case .load(let number): replica.requests.append(.load(number))
        case .checkHead(let number): replica.requests.append(.head(number))
        case .lookUp(let number, let key): replica.requests.append(.lookUp(number, key))
        case .perform(let effect): perform(effect, on: replica)
        case .publish(let publication): publish(publication, of: replica)
        case .answer(let ask, let outcome): ask.answer(outcome)
        }
    }

    private func run(_ ask: Ask, on state: EntityState, _ replica: Replica) -> Result<Changes, ActionError> {
        do throws(ActionError) {
            if case .language(let initial) = ask.kind { return .success(state.changes(to: initial)) }
            if case .effect = ask.kind { return .success(Changes()) }
            guard case .action(let call) = ask.kind, let body = call.body as? Body else {
                return .failure(.failed(Failed()))
            }
            log("\(replica.index) runs \(body.deed) \(body.id) on \(call.part) at \(state.cursor)")
            if call.isSlow {
                asks[body.ask].runs += 1
                if asks[body.ask].runs > 1 { judge.find("The slow ask \(body.ask) ran twice.") }
            }
            let changes = try replica.build.run(call, on: state)
            return .success(changes.timed(at: clock, after: state.effects) { replica.build.terms(of: $0) })
        } catch {
            return .failure(error)
        }
    }

    private func publish(_ publication: Publication, of replica: Replica) {
        log("\(replica.index) shows \(publication.state.cursor)\(publication.isEnd ? ", the end" : "")")
        let told = replica.observers.sorted { $0.key < $1.key }.map(\.value)
        if untold != nil { untold?.append(contentsOf: told) } else { for tell in told { tell() } }
        if store.isShared, !publication.isEnd {
            for other in replicas where other !== replica && !dice.oneIn(4) { other.hints += 1 }
        }
    }

    func answered(_ record: AskRecord, _ outcome: Outcome) {
        log("ask \(record.number): \(outcome.short)")
        if record.isLost { return }
        // A store that is put back between look and answer makes the answer old; nobody can prevent that.
        let isStrict = store.isShared && !store.wasPutBack
        judge.answered(record, outcome, heads: store.heads, isStrict: isStrict)
        record.isAnswered = true
    }

    // MARK: What clients do

    func ask(_ replica: Replica) {
        let record = AskRecord(number: asks.count, since: store.heads.count - 1, replica: replica.index)
        asks.append(record)
        let answer: @Sendable (Outcome) -> Void = { [weak self, record] in self?.answered(record, $0) }
        switch dice.roll(12) {
        case 0, 1:
            record.isView = true
            deliver(.ask(Ask(.view, answer: answer)), to: replica)
        case 2 where dice.oneIn(3):
            let language = dice.pick(["en", "ja"])
            record.language = language
            log("ask \(record.number) to \(replica.index): language \(language)")
            deliver(.ask(Ask(.language(replica.kind[language]), answer: answer)), to: replica)
        default: deliver(.ask(action(record, replica, answer)), to: replica)
        }
    }

    private func action(_ record: AskRecord, _ replica: Replica, _ answer: @escaping @Sendable (Outcome) -> Void) -> Ask
    {
        var number = 1_000 + record.number
        var part = dice.pick(replica.build.declarations).name
        var deed = dice.pick([
            Deed.add, .add, .add, .react, .hide, .nothing, .refuse, .fail, .effect, .effect, .timer, .cancel,
        ])
        var isSlow = dice.oneIn(8)
        if dice.oneIn(3) {
            var request: [UInt8] = [1]
            if !keys.isEmpty, dice.oneIn(2) {
                // A repeat, or another request under the same key.
                let known = dice.pick(Array(keys.suffix(6)))
                if dice.oneIn(5) || !replica.build.declarations.contains(where: { $0.name == known.part }) {
                    request = [2, UInt8(truncatingIfNeeded: number)]
                } else {
                    (number, part, deed, isSlow) = (known.id, known.part, known.deed, known.isSlow)
                }
                record.key = key(known.digest, request, part)
            } else {
                let digest = KeyDigest(key: Array("\(number)".utf8), of: nil)
                keys.append((number, digest, part, deed, isSlow))
                record.key = key(digest, request, part)
            }
        }
        if [.effect, .timer, .cancel].contains(deed), number < 1_000_000 { number = Effects.number(number, of: deed) }
        let body = Body(id: number, deed: deed, ask: record.number)
        (record.body, record.part) = (body, part)
        if deed == .react { judge.reactions.insert(number) }
        let state = replica.core.committed
        let match = dice.oneIn(8) ? [state.stamp(of: state.initial.index(of: part) ?? 0)] : nil
        log("ask \(record.number) to \(replica.index): \(isSlow ? "slow " : "")\(deed) \(number) on \(part)")
        let call = Call(part: part, isSlow: isSlow, body: body)
        return Ask(.action(call), key: record.key, match: match, answer: answer)
    }

    private func key(_ digest: KeyDigest, _ request: [UInt8], _ part: String) -> AskKey {
        AskKey(digest: digest, request: request, window: .seconds(3_600)) { outcome in
            switch outcome {
            case .done(let state):
                Remembered(
                    status: 200, body: Array("\(state.cursor)".utf8), etag: "\(state.initial.index(of: part) ?? 0)")
            case .refused(.action, let state): Remembered(status: 409, body: Array("\(state.cursor)".utf8))
            case .failed(.timedOut): Remembered(status: 504, body: [])
            case .failed: Remembered(status: 500, body: [])
            default: nil
            }
        }
    }

    // MARK: What the store does

    /// The store answers one request of a replica.
    ///
    /// Commits stay in order; reads overtake them.
    func serve(_ replica: Replica) {
        guard !replica.requests.isEmpty else { return }
        var place = dice.roll(replica.requests.count)
        if replica.requests[place].isWrite { place = replica.requests.firstIndex { $0.isWrite } ?? place }
        let request = replica.requests.remove(at: place)
        let event = store.answer(request, replica.kind, &dice, isCalm: isCalm)
        log("the store answers \(replica.index): \(event.short)")
        replica.mail.append(event)
    }

    /// Delivers one event, in any order; the answers to commits stay in order.
    func receive(_ replica: Replica) {
        guard !replica.mail.isEmpty else { return }
        var place = dice.roll(replica.mail.count)
        if replica.mail[place].isCommitted { place = replica.mail.firstIndex(where: \.isCommitted) ?? place }
        deliver(replica.mail.remove(at: place), to: replica)
    }

    func settle(_ replica: Replica) {
        serve(replica)
        receive(replica)
    }

    // MARK: A commit between look and registration

    /// Lets a commit be published while a wait looks, and tells the observers from another thread.
    func commitInWindow(_ replica: Replica) {
        guard untold == nil else { return }
        untold = []
        let record = AskRecord(number: asks.count, since: store.heads.count - 1, replica: replica.index)
        asks.append(record)
        record.part = "a"
        let answer: @Sendable (Outcome) -> Void = { [weak self, record] in self?.answered(record, $0) }
        let body = Body(id: 1_000 + record.number, deed: .add, ask: record.number)
        record.body = body
        let call = Call(part: "a", body: body)
        deliver(.ask(Ask(.action(call), answer: answer)), to: replica)
        for _ in 0..<20 where !record.isAnswered { settle(replica) }
        let told = untold ?? []
        untold = nil
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            for tell in told { tell() }
            done.signal()
        }
        thread.start()
        // With the lock held, the observers wait until the look has registered.
        if done.wait(timeout: .now() + .milliseconds(2)) == .timedOut { windowThread = done }
    }

    /// The thread that still tells; the world waits for it.
    var windowThread: DispatchSemaphore?
}
