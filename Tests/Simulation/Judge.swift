import Entities

/// Knows everything that was shown and stored, and finds contradictions.
final class Judge {
    /// The outputs that a cursor stood for when it was shown.
    typealias Outputs = [String: [UInt8]]

    private var shown: [Stamp: Outputs] = [:]
    private var cursors: [Stamp] = []
    private var tags: [Stamp: [[UInt8]]] = [:]
    /// Actions in the rows that were ever stored.
    private var everStored: Set<Int> = []
    /// Actions that must not be in any row, and why.
    private var never: [Int: String] = [:]
    private var done: Set<Int> = []
    /// The outcomes stored under each key.
    private var remembered: [KeyDigest: [(request: [UInt8], remembered: Remembered)]] = [:]
    /// The first thing that must not be.
    private(set) var finding: String?

    func find(_ what: @autoclosure () -> String) {
        if finding == nil { finding = what() }
    }

    // MARK: What is stored

    func stored(_ row: StoredEntity, _ key: StoredKey?, wasPutBack: Bool) {
        var ids: [String: Set<Int>] = [:]
        for effect in row.effects { attempts[effect.id] = max(attempts[effect.id] ?? 0, effect.attempts) }
        for part in row.parts where part.name != "$effects" {
            let ledger = Ledger(part.state)
            let all = ledger.shown + ledger.hidden
            ids[part.name] = Set(all)
            if !Effects.isInOrder(ledger.shown) {
                find("A cancelled effect has a result in \(part.name): \(ledger.shown).")
            }
            if Set(all).count != all.count { find("An action happened twice in \(part.name): \(all).") }
            for id in all {
                everStored.insert(id)
                if let why = never[id] { find("Action \(id) is stored, though it was \(why).") }
            }
        }
        if let key {
            remembered[key.digest, default: []].append((key.request, key.remembered))
            if !wasPutBack, remembered[key.digest]?.count != 1 { find("A key has two outcomes.") }
        }
    }

    // MARK: Effects

    /// The attempts of each effect that rows have counted.
    private var attempts: [String: Int] = [:]
    private var begun: [String: Int] = [:]

    /// A process begins an attempt.
    func performs(_ effect: StoredEffect, wasPutBack: Bool) {
        if attempts[effect.id] ?? 0 < effect.attempts { find("\(effect.id) runs without a commit.") }
        if begun[effect.id] ?? 0 >= effect.attempts, !wasPutBack {
            find("Attempt \(effect.attempts) of \(effect.id) ran twice.")
        }
        begun[effect.id] = effect.attempts
    }

    // MARK: What is shown

    static func outputs(of state: EntityState) -> Outputs {
        var outputs: Outputs = [:]
        for (index, declaration) in state.initial.declarations.enumerated() where !state[index].isUnreadable {
            for (name, value) in zip(declaration.outputs, state[index].part.outputs) {
                outputs["\(declaration.name).\(name)"] = value
            }
        }
        return outputs
    }

    /// A replica publishes a state.
    func published(
        _ state: EntityState, by build: Build, _ kind: EntityKind, stored: Set<Stamp>, _ dice: inout Dice
    ) {
        if state.head != .none, !stored.contains(state.head) { find("\(state.head) is shown and was never stored.") }
        let outputs = Self.outputs(of: state)
        for (index, declaration) in state.initial.declarations.enumerated() where !state[index].isUnreadable {
            let part = state[index].part
            let derived = build.part(Ledger(part.stored), declaration.name, state.language)
            if derived.outputs != part.outputs { find("\(declaration.name) shows other outputs than its state has.") }
            tag(state.stamp(of: index), part.outputs)
        }
        let reloaded = EntityState(state.row(.publicSession), of: kind)
        if reloaded.cursor != state.cursor, state.head != .none { find("A load shows \(state.head) in another way.") }
        note(state.cursor, outputs)
        if state.head == .none { noteTags(of: state) }
        guard state.isReadable else { return }
        for cursor in cursors.suffix(6) { checkDelta(of: state, since: cursor, outputs) }
        for _ in 0..<min(cursors.count, 4) { checkDelta(of: state, since: dice.pick(cursors), outputs) }
    }

    /// A part's stamp stands for the state in which it was drawn, as the build showed it that drew it.
    func noteTags(of state: EntityState) {
        for index in state.initial.declarations.indices {
            let stamp = state.stamp(of: index)
            if stamp.seq == state.head.seq { note(stamp, Self.outputs(of: state)) }
        }
    }

    private func note(_ cursor: Stamp, _ outputs: Outputs) {
        if let before = shown.updateValue(outputs, forKey: cursor) {
            if before != outputs { find("The cursor \(cursor) stands for two states.") }
        } else {
            cursors.append(cursor)
        }
    }

    private func tag(_ stamp: Stamp, _ outputs: [[UInt8]]) {
        if let before = tags.updateValue(outputs, forKey: stamp), before != outputs {
            find("The ETag \(stamp) stands for two states.")
        }
    }

    /// Law 2: a client that folds the delta of an accepted cursor sees the state.
    private func checkDelta(of state: EntityState, since cursor: Stamp, _ outputs: Outputs) {
        guard let seq = state.position(of: cursor), var folded = shown[cursor] else { return }
        for (index, declaration) in state.initial.declarations.enumerated() {
            for (place, name) in declaration.outputs.enumerated() where state[index].seqs[place] > seq {
                folded["\(declaration.name).\(name)"] = state[index].part.outputs[place]
            }
        }
        if folded != outputs { find("The feed lied to \(cursor) at \(state.cursor).") }
    }

    /// A client has folded an answer of the feed.
    func folded(_ outputs: Outputs, at cursor: Stamp) {
        guard let shown = shown[cursor] else {
            return find("The feed gave the cursor \(cursor), which was never shown.")
        }
        if shown != outputs { find("A client of the feed sees another state than \(cursor).") }
    }

    // MARK: What is answered

    func answered(_ ask: AskRecord, _ outcome: Outcome, heads: [Stamp?], isStrict: Bool) {
        if ask.isAnswered { find("Ask \(ask.number) was answered twice.") }
        switch outcome {
        case .done(let state):
            check(state, ask, heads, isStrict: isStrict)
            guard let body = ask.body, let part = ask.part else { return }
            if body.deed == .refuse || body.deed == .fail {
                return find("Action \(body.id) is done; it had to be refused.")
            }
            guard body.deed != .nothing else { return }
            done.insert(body.id)
            let index = state.initial.index(of: part) ?? 0
            let ledger = Ledger(state[index].part.stored)
            if !(ledger.shown + ledger.hidden).contains(body.id) {
                find("Action \(body.id) is done, and not in its state.")
            }
        case .refused(let refusal, let state):
            if case .keyMismatch = refusal { return }
            check(state, ask, heads, isStrict: isStrict)
            if case .action = refusal, ask.body?.deed != .refuse {
                find("Ask \(ask.number) was refused without reason.")
            }
            mustNotHappen(ask, "refused")
        case .replayed(let answer):
            let known = ask.key.flatMap { remembered[$0.digest] } ?? []
            if !known.contains(where: { $0.request == ask.key?.request && $0.remembered == answer }) {
                find("Ask \(ask.number) got a replay that no commit stored.")
            }
        case .failed: mustNotHappen(ask, "failed")
        case .unavailable(.outcomeUnknown), .unavailable(.ended): break
        case .unavailable(let reason): mustNotHappen(ask, "\(reason)")
        }
    }

    private func mustNotHappen(_ ask: AskRecord, _ why: String) {
        guard let body = ask.body else { return }
        // A repeat with the same key may happen.
        guard ask.key == nil || body.deed == .refuse || body.deed == .fail else { return }
        never[body.id] = why
        if everStored.contains(body.id) { find("Action \(body.id) was \(why), and is stored.") }
    }

    /// Law 1, and no stale answers: the store had this head at some moment since the ask came.
    private func check(_ state: EntityState, _ ask: AskRecord, _ heads: [Stamp?], isStrict: Bool) {
        guard ask.isView || ask.part != nil || ask.isLanguage else { return }
        let head = state.head == .none ? nil : state.head
        if !heads.contains(head) { find("Ask \(ask.number) saw \(state.head), which was never stored.") }
        if isStrict, !heads[ask.since...].contains(head) {
            find("Ask \(ask.number) got a stale answer: \(state.head).")
        }
        if let language = ask.language, language != state.language { find("Ask \(ask.number) got \(state.language).") }
    }

    /// The world is at rest: acknowledged actions are there.
    func atRest(_ row: StoredEntity?, wasPutBack: Bool) {
        guard !wasPutBack, let row else { return }
        let parts = row.parts.filter { $0.name != "$effects" }
        let ids = parts.flatMap { part in
            let ledger = Ledger(part.state)
            return ledger.shown + ledger.hidden
        }
        for id in done where !ids.contains(id) { find("Action \(id) was done, and is lost.") }
        for id in ids where Effects.isStarter(id) && done.contains(id) && row.effects.isEmpty {
            let results = ids.filter { Effects.starter(of: $0) == id }
            if results.count != 1, !(Effects.hasKey(id) && results.isEmpty) {
                find("The effect of action \(id) has \(results.count) results.")
            }
        }
        for part in parts where part.name != "b" {
            for id in reactions.intersection(Ledger(part.state).shown) where !ids.contains(-id) {
                find("Action \(id) is stored without its reaction.")
            }
        }
    }

    /// Actions that cause a reaction.
    var reactions: Set<Int> = []
}

/// What the simulator asked.
// Safe: the simulator has one thread, and waits for each thread that it starts.
final class AskRecord: @unchecked Sendable {
    let number: Int
    var body: Body?
    var part: String?
    var key: AskKey?
    var isView = false
    var language: String?
    var isLanguage: Bool { language != nil }
    /// The moment of the ask, as a place in the store's list of heads.
    let since: Int
    var isAnswered = false
    /// Whether the process died before it answered.
    var isLost = false
    let replica: Int
    var runs = 0

    init(number: Int, since: Int, replica: Int) {
        (self.number, self.since, self.replica) = (number, since, replica)
    }
}
