import Entities

extension World {
    /// Plays a world to its end.
    ///
    /// - Returns: what must not be; nil where the world is sound.
    func play() -> String? {
        let steps = 60 + dice.roll(120)
        for _ in 0..<steps where judge.finding == nil { step() }
        if judge.finding == nil, dice.oneIn(5), id.expires { end() }
        comeToRest()
        return judge.finding
    }

    private func step() {
        let replica = dice.pick(replicas)
        switch dice.roll(20) {
        case 0..<6: ask(replica)
        case 6..<11: serve(replica)
        case 11..<16: receive(replica)
        case 16: dice.pick(clients).poll(replica, in: self)
        case 17:
            if replica.hints > 0 {
                replica.hints -= 1
                replica.refresh { _ in }
            }
        case 18:
            switch dice.roll(8) {
            case 0: kill(replica.index)
            case 1: putBackWhileOpen()
            case 2: store.storeLate(&dice)
            case 3: dice.pick(clients).hangUp()
            case 4: replica.timer.advance(by: .seconds(dice.roll(30)))
            case 5: advance(by: .seconds(dice.roll(30)))
            default: break
            }
        default:
            endWork(of: replica)
            takeDue(replica)
        }
    }

    /// A store that is not shared is put back only while the process is down.
    private func putBackWhileOpen() {
        if store.isShared, dice.oneIn(2) { putBack() }
    }

    /// A new client sees everything, then waits in the moment of a commit.
    private func pollInWindow(_ replica: Replica) {
        let client = FeedClient(number: clients.count)
        clients.append(client)
        client.poll(replica, in: self)
        drain()
        guard case .accepted = client.position, !replica.core.isEnded, judge.finding == nil else { return }
        // Nothing else happens meanwhile.
        replica.window = { [unowned self, unowned replica] in commitInWindow(replica) }
        client.poll(replica, in: self)
        replica.window = nil
        windowThread?.wait()
        windowThread = nil
    }

    private func end() {
        let replica = dice.pick(replicas)
        let record = AskRecord(number: asks.count, since: store.heads.count - 1, replica: replica.index)
        asks.append(record)
        log("ask \(record.number) to \(replica.index): end")
        deliver(.ask(Ask(.end) { [weak self, record] in self?.answered(record, $0) }), to: replica)
        for _ in 0..<dice.roll(12) { step() }
    }

    /// Lets all events arrive, and looks for what is missing.
    private func comeToRest() {
        isCalm = true
        store.storeLate(&dice)
        drain()
        if dice.oneIn(8), judge.finding == nil { pollInWindow(dice.pick(replicas)) }
        finishEffects()
        for replica in replicas { replica.refresh { _ in } }
        drain()
        guard judge.finding == nil else { return }
        for ask in asks where !ask.isAnswered && !ask.isLost { judge.find("Ask \(ask.number) was never answered.") }
        judge.atRest(store.table.load(id), wasPutBack: store.wasPutBack)
        for replica in replicas where !replica.core.isEnded {
            if store.isShared, store.head != replica.core.committed.storedHead {
                judge.find("Replica \(replica.index) never saw \(store.head?.description ?? "the end").")
            }
        }
        for client in clients where client.isWaiting { checkWait(client) }
    }

    func drain() {
        while judge.finding == nil, replicas.contains(where: { !$0.mail.isEmpty || !$0.requests.isEmpty }) {
            for replica in replicas { settle(replica) }
        }
    }

    /// A client that waits has missed nothing.
    private func checkWait(_ client: FeedClient) {
        guard let replica = client.replica else { return }
        if replica.core.isEnded { return judge.find("Client \(client.number) waits on an entity that has ended.") }
        let state = replica.core.committed
        guard state.isReadable, let answer = try? state.answer(.everything, since: client.position) else { return }
        // An unknown cursor with the present seq waits for a second.
        if case .cursor(let cursor?) = client.position, cursor.seq == state.head.seq { return }
        judge.find("Client \(client.number) was never told of \(answer.cursor).")
    }
}

extension EntityState {
    /// The head as the store knows it; nil where it has no row.
    var storedHead: Stamp? { head == .none ? nil : head }
    /// Whether the build can read every part.
    var isReadable: Bool { !touched.contains { $0.isUnreadable } }
}

extension Outcome {
    /// For the history.
    var short: String {
        switch self {
        case .done(let state): "done at \(state.cursor)"
        case .refused(let refusal, let state): "refused (\(refusal)) at \(state.cursor)"
        case .replayed(let remembered): "replayed \(remembered.status)"
        case .failed(let failure): "failed (\(failure))"
        case .unavailable(let reason): "unavailable (\(reason))"
        }
    }
}

extension Event {
    var isCommitted: Bool { if case .committed = self { true } else { false } }

    /// For the history.
    var short: String {
        switch self {
        case .ask: "ask"
        case .ran(let number, .failure(.timedOut)): "deadline \(number)"
        case .ran(let number, _): "ran \(number)"
        case .committed(let number, let result): "commit \(number) \(result)"
        case .loaded(let number, .found(let state)): "load \(number) \(state.cursor)"
        case .loaded(let number, let result): "load \(number) \(result)"
        case .head(let number, let result): "head \(number) \(result)"
        case .lookedUp(let number, .found): "key \(number) found"
        case .lookedUp(let number, let result): "key \(number) \(result)"
        }
    }
}
