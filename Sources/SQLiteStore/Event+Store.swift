import Events

extension Event.Kind {
    /// The file is open, and can be written.
    static let storeOpened = Event.Kind(
        "store-opened", .info, ["path", "bytes", "sessions", "schema", "durability", "milliseconds"])
    /// The file was led from an earlier schema to the present one.
    static let storeMigrated = Event.Kind("store-migrated", .warning, ["path", "from", "schema", "copy", "wayBack"])
    /// A restore that had been interrupted is finished.
    static let storeRestored = Event.Kind("store-restored", .warning, ["path", "kept"])
    /// The file cannot be written or read any more: what needs that is answered with 503, and tried again each time.
    static let storeLost = Event.Kind("store-lost", .error, ["path", "access", "reason"])
    /// It can be again.
    static let storeBack = Event.Kind("store-back", .info, ["path", "access", "milliseconds"])
    /// Another program has written the file; told once.
    static let storeWrittenByAnother = Event.Kind("store-written-by-another", .warning, ["path"])

    /// The kinds of this module.
    package static let ofStore = [
        storeOpened, storeMigrated, storeRestored, storeLost, storeBack, storeWrittenByAnother,
    ]
}

/// Tells the log when something that is tried again and again begins to fail, and when it works again.
struct StoreHealth {
    let path: String
    /// What fails: `write` or `read`.
    let access: String
    let log: (any EventLog)?
    private var lostSince: ContinuousClock.Instant?

    init(_ path: String, _ access: String, log: (any EventLog)?) {
        self.path = path
        self.access = access
        self.log = log
    }

    /// It worked.
    mutating func noteSuccess() {
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
    mutating func noteFailure(_ reason: String) {
        guard lostSince == nil else { return }
        lostSince = .now
        log?.record(
            Event(.storeLost, ["path": .text(path), "access": .text(access), "reason": .text(reason)]))
    }
}
