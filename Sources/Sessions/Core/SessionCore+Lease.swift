import ViewModels

// Where others may move the session on, it changes by itself on one replica at a time.

extension SessionCore {
    /// Whether the session may change by itself here.
    enum Lease: Sendable {
        /// Nobody has asked for that.
        case none
        /// Until the store says so: another replica may hold it.
        case asked
        case held
    }

    /// Lets a change from inside wait until the session may change by itself here.
    mutating func waitForLease(_ ask: Ask) {
        let waiting = changesWaiting + [ask]
        changesWaiting = []
        for ask in waiting {
            // Looked at once: it may be thrown away at any moment.
            if ask.isDiscarded { answer(ask, .failure(CancellationError())) } else { changesWaiting.append(ask) }
        }
        guard lease == .none else { return }
        lease = .asked
        leaseAsks += 1
        orders.append(.lease(ask: leaseAsks))
    }

    /// The store says whether the session may change by itself here, to the ask with that number.
    mutating func leased(_ isHeld: Bool, by ask: Int) {
        guard lease != .none, ask == leaseAsks else { return }
        lease = isHeld ? .held : .asked
        guard isHeld else { return }
        // Another replica may have had it until now.
        looksInPeace = 0
        for var ask in changesWaiting {
            arrivals += 1
            ask.arrival = arrivals
            line.append(ask)
        }
        changesWaiting = []
        goOn()
    }

    /// The store failed a change from inside, and perhaps nothing tries it again: its view model is made anew when the session is read
    /// next, and until then another replica may go on.
    mutating func leaveChangesToOthers() {
        isBehind = true
        endLease()
    }

    /// Leaves it to others.
    mutating func endLease() {
        guard lease != .none else { return }
        lease = .none
        orders.append(.lease(ask: nil))
        let waiting = changesWaiting
        changesWaiting = []
        for ask in waiting { answer(ask, .failure(CancellationError())) }
    }
}
