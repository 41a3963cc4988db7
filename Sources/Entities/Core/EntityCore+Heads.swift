// Looks at the head of a shared store: before a read, before a result that writes nothing, before a slow action.

extension EntityCore {
    /// Answers the checks, or asks the store for the head; one look serves all waiting checks.
    mutating func startLook() {
        guard !checks.isEmpty, loading == nil, look == nil else { return }
        guard isShared else {
            // Only views come here, and no other process writes.
            for check in checks { answer(check.ask, view) }
            return checks = []
        }
        let committedHead = committed.isStored ? committed.head : nil
        look = Look(number: nextNumber(), checks: checks, heads: [committedHead] + pending.map(\.commit.state.head))
        checks = []
        orders.append(.checkHead(lastNumber))
    }

    mutating func checked(_ number: UInt64, _ result: ReadResult<Stamp>) {
        guard let look, look.number == number else { return }
        self.look = nil
        let head: Stamp?
        switch result {
        case .failed:
            for check in look.checks { fail(check) }
            return
        case .missing where committed.isStored && !existsByName:
            checks = look.checks + checks
            return markEnded()
        case .missing: head = nil
        case .found(let stamp): head = stamp
        }
        if look.heads.contains(head) {
            for check in look.checks { pass(check, at: head) }
        } else {
            checks = look.checks + checks
            // If another process wrote, the pending commits conflict. Otherwise the next look finds a known head.
            if pending.isEmpty { reload() }
        }
    }

    /// The store has nothing newer; an answer that saw a pending commit waits for it.
    private mutating func pass(_ check: Check, at head: Stamp?) {
        switch check.purpose {
        case .view:
            if let place = pending.firstIndex(where: { $0.commit.state.head == head }) {
                pending[place].seenBy.append((check.ask, nil))
            } else {
                answer(check.ask, view)
            }
        case .result(let outcome, let saw):
            if let place = pending.firstIndex(where: { $0.commit.state.head == saw }) {
                pending[place].seenBy.append((check.ask, outcome))
            } else {
                answer(check.ask, outcome)
            }
        case .start: run(check.ask)
        }
    }
}
