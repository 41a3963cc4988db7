import Sessions
import ViewModels

extension Judge {
    // MARK: Views

    /// The first commit at or after a floor where a build shows exactly this of a view model.
    func node(
        showing json: [UInt8], _ tag: String, of place: Int, by build: Int, in session: StoredSession, from floor: Int
    ) -> Node? {
        session.nodes.last { node in
            node.number >= floor && shows(node, json, tag, of: place, by: build)
        }.map { latest in
            // As early as it can be: what is shown by several says no more than the first of them.
            var first = latest
            while let parent = first.parent, (floor..<first.number).contains(parent.number),
                shows(parent, json, tag, of: place, by: build)
            {
                first = parent
            }
            return first
        }
    }

    func shows(_ node: Node, _ json: [UInt8], _ tag: String, of place: Int, by build: Int) -> Bool {
        let shown = node.shown(place, by: build)
        guard shown.json == json, let cursor = Cursor(tag.filter { $0 != "\"" }), cursor.seq == shown.lastChange else {
            return false
        }
        // A tag keeps the name that its epoch had when it was made: later ones may have pushed that out.
        var made: Node? = node
        while let node = made {
            if node.record.head.history.place(of: cursor.seq) == cursor { return true }
            made = node.parent
        }
        return false
    }

    func look(at view: View, of place: Int, to op: Op, in session: StoredSession) {
        let build = op.replica.build
        guard
            let node = node(
                showing: view.json, view.entityTag, of: place, by: build, in: session, from: op.floor)
        else {
            let what = unstored(view.json, view.entityTag, of: place, op, session)
            return fail("law 1", what)
        }
        note(node, shownTo: op, of: session)
        op.client?.seen[session.place * 8 + place] = Seen(tag: view.entityTag, json: view.json, build: build)
    }

    private func unstored(
        _ json: [UInt8], _ tag: String, of place: Int, _ op: Op, _ session: StoredSession
    ) -> String {
        let isOld = node(showing: json, tag, of: place, by: op.replica.build, in: session, from: 0) != nil
        let shown = "\(world.names.of(tag: tag)) \(String(decoding: json, as: UTF8.self))"
        let latest = session.head.map { node in
            let shown = node.shown(place, by: op.replica.build)
            return "\(world.describe(node.record.head.history.place(of: shown.lastChange))) "
                + String(decoding: shown.json, as: UTF8.self)
        }
        return
            "\(op.number) is shown \(shown), which \(isOld ? "is older than what it has to be" : "was never stored"); "
            + "the store has \(latest ?? "nothing")"
    }

    func look(
        at views: [View], at cursor: Cursor, in language: Language, to op: Op, of session: StoredSession
    ) {
        let build = op.replica.build
        let node = session.nodes.first { node in
            node.number >= op.floor && node.cursor == cursor && node.record.language == language
                && views.count == BuildFacts.all[build].viewModels.count
                && views.indices.allSatisfy { shows(node, views[$0].json, views[$0].entityTag, of: $0, by: build) }
        }
        guard let node else {
            let what =
                "\(op.number): no commit shows the whole session so, in \(language), at \(world.describe(cursor))"
            return fail("law 1", what)
        }
        note(node, shownTo: op, of: session)
        for (place, view) in views.enumerated() {
            op.client?.seen[session.place * 8 + place] = Seen(tag: view.entityTag, json: view.json, build: build)
        }
    }

    /// Looks at what is told of a change of the language: the session spoke it at some moment since that was asked for.
    func look(at language: Language, to op: Op, in session: StoredSession) {
        let node = session.nodes.first { $0.number >= op.floor && $0.record.language == language }
        guard let node else {
            return fail("law 1", "\(op.number) is told that \(session.name) speaks \(language), which was never stored")
        }
        note(node, shownTo: op, of: session)
    }

    // MARK: The feed

    func look(at answer: FeedAnswer, to op: Op, in session: StoredSession) {
        var mirror: Mirror
        switch op.ask {
        case .poll(let known, _), .listen(let known, _): mirror = known
        default: return
        }
        let since = mirror.cursor
        op.wasIdle = answer.name == "idle"
        if case .snapshot = answer.kind { mirror = Mirror() }
        for (output, value) in FeedText.changes(in: answer.json) { mirror.values[output] = value }
        mirror.cursor = answer.cursor
        let build = op.replica.build
        let topics = op.client?.hearsLedgerAlone == true ? 0..<1 : BuildFacts.all[build].viewModels.indices
        // What another build told of, this one does not keep up.
        let kept = topics.flatMap { BuildFacts.all[build].numbers(of: $0) }
        for output in mirror.values.indices where !kept.contains(output) { mirror.values[output] = nil }
        // Whoever lost the store in between may know that there is more, and cannot read or derive it. The end of a wait says
        // nothing of it.
        let isBehind = answer.kind == .idle(.deadline) && op.replica.link.failures != op.failures
        // Where it is found at the end that a wait is to go on where it began, as while a new history is being derived, what the
        // client has must be true all the same.
        let goesOn = answer.kind == .idle(.deadline) && answer.cursor == since
        func isTrue(_ node: Node, at cursor: Cursor?) -> Bool {
            (node.number >= op.floor || isBehind) && (cursor == nil || node.cursor == cursor)
                && isMirrored(node, by: mirror, topics, build)
        }
        let node =
            session.nodes.first { isTrue($0, at: answer.cursor) }
            ?? (goesOn ? session.nodes.first { isTrue($0, at: nil) } : nil)
        guard let node else {
            let what = wrong(mirror, topics, op, session, answer)
            return fail("law 2", what)
        }
        note(node, shownTo: op, of: session)
        op.client?.mirrors[session.place, default: []].append(mirror)
        guard case .idle(.deadline) = answer.kind, op.isWait, !op.isHungUp, !isBehind,
            !isHeld(session, at: op.replica)
        else { return }
        // Several commits have one cursor where some only remember outcomes.
        let latest = max(
            node.number, session.nodes.lazy.filter { $0.cursor == answer.cursor }.map(\.number).max() ?? 0)
        let floor = max(op.replica.floor(of: session, by: world.now - 1000), hinted(to: op, of: session))
        // Where it goes on where it began, as while the session is being read, and nothing that it hears of has changed, it has
        // missed nothing.
        let hasAll =
            goesOn && session.nodes.contains { $0.number >= floor && isMirrored($0, by: mirror, topics, build) }
        if latest < floor, !hasAll {
            fail("law 5", "\(op.number) waited to its end for what \(op.replica.name) had long known or been told of")
        }
    }

    /// What whoever waits has had the time to be told of: by a hint, or by a look within a second.
    private func hinted(to op: Op, of session: StoredSession) -> Int {
        let time = 5000
        let link = op.replica.link
        guard link.isTold(for: time), link.failures == op.failures, op.after >= world.lastRewind else { return 0 }
        return session.nodes.last { !$0.isLost && $0.storedAt < world.now - time }?.number ?? 0
    }

    private func isMirrored(_ node: Node, by mirror: Mirror, _ topics: Range<Int>, _ build: Int) -> Bool {
        topics.allSatisfy { place in
            let numbers = BuildFacts.all[build].numbers(of: place)
            return zip(numbers, node.shown(place, by: build).values).allSatisfy { number, value in
                // While builds of both kinds serve, a cursor of the one may lie behind what the other has more.
                guard let known = mirror.values[number] else { return world.isRolling }
                return known == value
            }
        }
    }

    private func wrong(
        _ mirror: Mirror, _ topics: Range<Int>, _ op: Op, _ session: StoredSession, _ answer: FeedAnswer
    ) -> String {
        let build = op.replica.build
        func text(_ values: [[UInt8]?]) -> String {
            values.map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "-" }.joined(separator: " ")
        }
        let held = topics.flatMap { BuildFacts.all[build].numbers(of: $0) }.map { mirror.values[$0] }
        let candidates = session.nodes.filter { $0.cursor == answer.cursor }.map { node in
            "\(node.isLost ? "(lost) " : "")\(node.number < op.floor ? "(older) " : "")"
                + text(topics.flatMap { node.shown($0, by: build).values })
        }
        return "\(op.number) has \(text(held)) at \(world.describe(answer.cursor)), where the store had "
            + (candidates.isEmpty ? "nothing" : candidates.joined(separator: " or "))
    }

    // MARK: Actions

    func look(at performed: ActionResult, to op: Op, in session: StoredSession) {
        guard case .act(let act) = op.ask else { return }
        noteExcuses(op, act)
        switch performed {
        case .done(let view): lookAtDone(view.json, view.entityTag, act, op, session)
        case .remembered(let outcome, let isReplay):
            let node = session.nodes.last {
                $0.outcome?.key == outcome.key && $0.outcome?.status == outcome.status
                    && $0.outcome?.body == outcome.body
                    && $0.outcome?.entityTag == outcome.entityTag && $0.outcome?.fingerprint == outcome.fingerprint
            }
            guard let node else {
                return fail(
                    "law 4", "\(op.number) is told an outcome of \(world.name(of: outcome.key)) that is not stored")
            }
            // With an older tag, or none, it tells those who wait there of nothing.
            let tag = Cursor(outcome.entityTag.filter { $0 != "\"" })
            note(node, shownTo: op, of: session, isToldToThoseWhoWait: !isReplay || tag == node.cursor)
            if outcome.status != 200 { noteUndone(act) }
            if outcome.status == 500, !isReplay { lookAtBalking(act, op) }
            guard outcome.status == 200, let id = act.order?.id, act.kind?.leavesID == true else { return }
            if !node.ids.contains(id) {
                fail(
                    "law 4", "\(op.number): \(world.name(of: outcome.key)) is told done, and \(id) is not in the ledger"
                )
            }
            if !isReplay { lookAtCondition(act, node, op, session) }
        }
    }

    private func lookAtDone(_ json: [UInt8], _ tag: String, _ act: ActionAsk, _ op: Op, _ session: StoredSession) {
        let build = op.replica.build
        guard let id = act.order?.id, act.kind?.leavesID == true else {
            guard
                let node = node(showing: json, tag, of: act.viewModel, by: build, in: session, from: op.floor)
            else { return fail("law 1", unstored(json, tag, of: act.viewModel, op, session)) }
            return note(node, shownTo: op, of: session)
        }
        guard let node = session.nodes.last(where: { $0.newID == id }) else {
            return fail("law 3", "\(op.number): action \(id) is acknowledged and not stored")
        }
        if !shows(node, json, tag, of: act.viewModel, by: build) {
            fail("law 1", "\(op.number): action \(id) is answered with what its commit does not show")
        }
        note(node, shownTo: op, of: session)
        lookAtCondition(act, node, op, session)
    }

    /// What was done on a condition was done on that state.
    private func lookAtCondition(_ act: ActionAsk, _ node: Node, _ op: Op, _ session: StoredSession) {
        guard let seen = act.condition, let base = node.parent else { return }
        let isSame =
            seen.build != op.replica.build || shows(base, seen.json, seen.tag, of: act.viewModel, by: seen.build)
        if !isSame {
            fail(
                "law 2",
                "\(op.number) was done where \(world.names.of(tag: seen.tag)) was asked for, on another state than that"
            )
        }
    }

    /// What fails by the state it runs on failed on one that its caller had to be shown, or on a later one.
    private func lookAtBalking(_ act: ActionAsk, _ op: Op) {
        let states = op.session?.nodes.filter { $0.number >= op.floor } ?? []
        if act.kind == .balk, !states.contains(where: \.isBalkedAt) {
            fail("law 1", "\(op.number) fails as on a state that is older than what it has to be")
        }
    }

    private func noteUndone(_ act: ActionAsk) {
        if let id = act.order?.id { fates[id]?.undone += 1 }
    }

    /// What may have made it run more than once.
    func noteExcuses(_ op: Op, _ act: ActionAsk) {
        guard let id = act.order?.id else { return }
        fates[id]?.excuses += op.replica.link.failures - op.failures + op.replica.link.conflicts - op.conflicts
        // It may have run before the store was put back, and be told afterwards what another came to: the key is looked for
        // once more, and no conflict counts the run.
        if op.after < world.lastRewind { fates[id]?.excuses += 1 }
    }

    // MARK: Failures

    func look(at error: any Error, to op: Op) {
        if case .act(let act) = op.ask { noteExcuses(op, act) }
        guard let failure = error as? SessionFailure else {
            return look(atOther: error, op)
        }
        let failures = op.replica.link.failures - op.failures
        let conflicts = op.replica.link.conflicts - op.conflicts
        switch failure {
        case .unavailable(let why):
            // Where others moved the session on again and again, too.
            guard failures > 0 || conflicts > world.plan.limits.replays else {
                return fail("law 8", "\(op.number) is told that the store does not answer, and it did")
            }
            if why == .inDoubt { return }
        case .ended: lookAtAbsence(op)
        case .unreadable: fail("law 6", "\(op.number): a model cannot be read")
        case .damaged: fail("law 6", "\(op.number): a session cannot be read")
        case .evicted: if conflicts == 0 { world.log("evicted three times") }
        case .refused(_, let view):
            if case .act(let act) = op.ask, let session = op.session, let view {
                look(at: view, of: act.viewModel, to: op, in: session)
            }
        case .preconditionFailed: lookAtPrecondition(op)
        case .keyOfAnotherRequest: lookAtForeignKey(op)
        case .timedOut:
            if world.now - op.askedAt < 30_000 {
                fail("law 5", "\(op.number) is given up after \(world.now - op.askedAt) ms")
            }
        case .tooManyActions, .outOfMemory: fail("law 10", "\(op.number) is refused by a limit that is not set")
        case .tooManyKeys, .tooManyKeyBytes: fail("law 10", "\(op.number) is refused for keys that it has not used")
        case .lineFull, .busy, .notMade: break
        }
        if case .act(let act) = op.ask { noteUndone(act) }
    }

    private func look(atOther error: any Error, _ op: Op) {
        switch error {
        case is Unknown: lookAtAbsence(op)
        case is CancellationError: if !op.isHungUp { fail("law 8", "\(op.number) is cancelled by nobody") }
        case is RegistryFailure: fail("law 10", "\(op.number) finds no room for a session")
        default:
            guard case .act(let act) = op.ask, act.kind == .fail || act.kind == .hang || act.kind == .balk else {
                return fail("law 8", "\(op.number) is told \(error)")
            }
            lookAtBalking(act, op)
        }
        if case .act(let act) = op.ask { noteUndone(act) }
    }

    private func lookAtAbsence(_ op: Op) {
        guard let session = op.session, let head = session.head else { return }
        if session.lastAbsence >= op.after { return }
        if let end = session.end, end <= world.timeOfDay { return lookAtEnd(of: session) }
        fail(
            "law 8",
            "\(op.number) is told that \(session.name) is gone, and it stands at \(world.describe(head.cursor))")
    }

    private func lookAtPrecondition(_ op: Op) {
        guard case .act(let act) = op.ask, let seen = act.condition, let session = op.session else {
            return fail("law 1", "\(op.number) fails by a condition that it has not")
        }
        let build = op.replica.build
        let other = session.nodes.first { node in
            let cursor = node.record.head.history.place(of: node.shown(act.viewModel, by: build).lastChange)
            return node.number >= op.floor && cursor.entityTag != seen.tag
        }
        if other == nil {
            fail(
                "law 1",
                "\(op.number) fails by its condition \(world.names.of(tag: seen.tag)), which all that it may be shown meets"
            )
        }
    }

    private func lookAtForeignKey(_ op: Op) {
        guard case .act(let act) = op.ask, let session = op.session else { return }
        let isKnown = session.nodes.contains { $0.outcome.map { world.name(of: $0.key) } == act.key }
        if !isKnown { fail("law 4", "\(op.number): its key is told to be another's, and nobody's is stored") }
    }
}
