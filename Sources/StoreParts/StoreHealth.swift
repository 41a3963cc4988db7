package import Events

extension Event.Kind {
    /// The store cannot be written or read any more: what needs that is answered with 503, and tried again each time.
    package static let storeLost = Event.Kind("store-lost", .error, ["path", "access", "reason"])
    /// It can be again.
    package static let storeBack = Event.Kind("store-back", .info, ["path", "access", "milliseconds"])

    /// The kinds of every store that can be lost.
    package static let ofStores = [storeLost, storeBack]
}

/// Tells the log when something that is tried again and again begins to fail, and when it works again.
package struct StoreHealth {
    let path: String
    /// What fails: `write` or `read`.
    let access: String
    let log: (any EventLog)?
    private var lostSince: ContinuousClock.Instant?

    /// Nothing has failed yet.
    package init(_ path: String, _ access: String, log: (any EventLog)?) {
        self.path = path
        self.access = access
        self.log = log
    }

    /// It worked.
    package mutating func noteSuccess() {
        guard let since = lostSince.take() else { return }
        log?.record(
            Event(
                .storeBack,
                [
                    "path": .text(path), "access": .text(access),
                    "milliseconds": .number((ContinuousClock.now - since).milliseconds),
                ]))
    }

    /// It failed.
    package mutating func noteFailure(_ reason: String) {
        guard lostSince == nil else { return }
        lostSince = .now
        log?.record(
            Event(.storeLost, ["path": .text(path), "access": .text(access), "reason": .text(reason)]))
    }
}
